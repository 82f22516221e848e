package acuse

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
)

// mediaTypes is the same table in all libraries of Acuse: the machine's own would differ from one to the next.
var mediaTypes = map[string]string{
	".csv":  "text/csv",
	".doc":  "application/msword",
	".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
	".eml":  "message/rfc822",
	".gif":  "image/gif",
	".gz":   "application/gzip",
	".htm":  "text/html",
	".html": "text/html",
	".ics":  "text/calendar",
	".jpeg": "image/jpeg",
	".jpg":  "image/jpeg",
	".json": "application/json",
	".md":   "text/markdown",
	".pdf":  "application/pdf",
	".png":  "image/png",
	".pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
	".svg":  "image/svg+xml",
	".txt":  "text/plain",
	".webp": "image/webp",
	".xls":  "application/vnd.ms-excel",
	".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
	".xml":  "application/xml",
	".zip":  "application/zip",
}

// AttachmentFromFile reads a file as an attachment: its name, the media type of its extension, its bytes.
func AttachmentFromFile(path string) (Attachment, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return Attachment{}, refused("the attachment cannot be read: " + err.Error())
	}
	return AttachmentFromBytes(filepath.Base(path), content), nil
}

// AttachmentFromBytes makes an attachment of bytes, with the media type of the name's extension.
func AttachmentFromBytes(name string, content []byte) Attachment {
	media := mediaTypes[strings.ToLower(filepath.Ext(name))]
	if media == "" {
		media = "application/octet-stream"
	}
	return Attachment{
		Filename:    name,
		ContentType: Some(media),
		Content:     base64.StdEncoding.EncodeToString(content),
	}
}
