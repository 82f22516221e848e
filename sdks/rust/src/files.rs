//! Files: attachments, and proof bundles on their way to the disk.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use base64::engine::general_purpose::STANDARD;
use base64::Engine;
use ring::rand::{SecureRandom, SystemRandom};

use crate::attempt::{Streamed, Take};
use crate::call::Request;
use crate::error::Error;
use crate::operations_generated as op;
use crate::resources_generated::Evidence;
use crate::types::Attachment;

/// The same table in all libraries of Acuse: the machine's own would differ from one to the next.
const MEDIA_TYPES: [(&str, &str); 23] = [
    ("csv", "text/csv"),
    ("doc", "application/msword"),
    ("docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
    ("eml", "message/rfc822"),
    ("gif", "image/gif"),
    ("gz", "application/gzip"),
    ("htm", "text/html"),
    ("html", "text/html"),
    ("ics", "text/calendar"),
    ("jpeg", "image/jpeg"),
    ("jpg", "image/jpeg"),
    ("json", "application/json"),
    ("md", "text/markdown"),
    ("pdf", "application/pdf"),
    ("png", "image/png"),
    ("pptx", "application/vnd.openxmlformats-officedocument.presentationml.presentation"),
    ("svg", "image/svg+xml"),
    ("txt", "text/plain"),
    ("webp", "image/webp"),
    ("xls", "application/vnd.ms-excel"),
    ("xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
    ("xml", "application/xml"),
    ("zip", "application/zip"),
];
/// Bytes that a download has in memory.
const CHUNK: usize = 64 << 10;

impl Attachment {
    /// A file as an attachment: its name, the media type of its extension, its bytes.
    ///
    /// # Errors
    ///
    /// The file cannot be read.
    pub fn from_file(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        let unreadable =
            |why: &dyn std::fmt::Display| Error::refused(format!("the attachment cannot be read: {why}"));
        let content = fs::read(path).map_err(|error| unreadable(&error))?;
        let name = path.file_name().ok_or_else(|| unreadable(&"it has no name"))?;
        Ok(Self::from_bytes(name.to_string_lossy(), content))
    }

    /// Bytes as an attachment, with the media type of the name's extension.
    pub fn from_bytes(name: impl Into<String>, content: impl AsRef<[u8]>) -> Self {
        let name = name.into();
        let media = media_type(&name);
        Self::new(name, STANDARD.encode(content)).content_type(media)
    }
}

fn media_type(name: &str) -> &'static str {
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    let known = MEDIA_TYPES.iter().find(|(each, _)| each.eq_ignore_ascii_case(extension));
    known.map_or("application/octet-stream", |(_, media)| media)
}

/// A file that is removed unless it is put in its place.
struct Partial(Option<PathBuf>);

impl Partial {
    fn discard(&mut self) {
        if let Some(path) = self.0.take() {
            let _ = fs::remove_file(path);
        }
    }

    /// A new file beside the target.
    fn create(&mut self, target: &Path) -> io::Result<File> {
        self.discard();
        let mut random = [0_u8; 8];
        SystemRandom::new().fill(&mut random).map_err(|_| io::Error::other("no randomness"))?;
        let name = format!(".acuse-{:016x}.partial", u64::from_le_bytes(random));
        let path = target.with_file_name(name);
        let file = OpenOptions::new().write(true).create_new(true).open(&path)?;
        self.0 = Some(path);
        Ok(file)
    }
}

impl Drop for Partial {
    fn drop(&mut self) {
        self.discard();
    }
}

impl Evidence<'_> {
    /// Writes the proof bundle of a message to a file. It is written beside the target and renamed when it is
    /// whole: a transfer that is cut leaves nothing. Returns its size in bytes.
    ///
    /// # Errors
    ///
    /// Whatever the server refuses, what the network loses, or a disk that cannot take it.
    pub fn download_bundle(&self, id: &str, path: impl AsRef<Path>) -> Result<u64, Error> {
        let path = path.as_ref();
        let mut partial = Partial(None);
        let mut size = 0;
        self.client.run(
            &Request::new(&op::GET_PROOF_BUNDLE).path(&[id]),
            &mut Take::Stream(&mut |body| {
                let mut file = partial.create(path).map_err(Streamed::Disk)?;
                size = copy(body, &mut file)?;
                file.sync_all().map_err(Streamed::Disk)
            }),
        )?;
        let written = partial.0.as_deref().map_or(Ok(()), |from| fs::rename(from, path));
        written.map_err(|error| Error::refused(format!("the bundle cannot be put in its place: {error}")))?;
        partial.0 = None;
        Ok(size)
    }
}

fn copy(from: &mut dyn Read, to: &mut File) -> Result<u64, Streamed> {
    let mut chunk = vec![0; CHUNK];
    let mut size = 0;
    loop {
        let read = from.read(&mut chunk).map_err(Streamed::Network)?;
        if read == 0 {
            return Ok(size);
        }
        to.write_all(&chunk[..read]).map_err(Streamed::Disk)?;
        size += read as u64;
    }
}

#[cfg(test)]
mod tests {
    use super::{media_type, MEDIA_TYPES};

    #[test]
    fn media_types_by_extension() {
        assert_eq!(media_type("invoice.PDF"), "application/pdf");
        assert_eq!(media_type("archive.tar.gz"), "application/gzip");
        assert_eq!(media_type("archive.unknown"), "application/octet-stream");
        assert_eq!(media_type("none"), "application/octet-stream");
        assert!(MEDIA_TYPES.is_sorted());
    }
}
