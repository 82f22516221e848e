//! Sockets that give up in time, and the steps of making a connection.

use std::fmt;
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use ureq::unversioned::transport::{
    Buffers, ConnectProxyConnector, ConnectionDetails, Connector, Either, LazyBuffers, NextTimeout, Transport,
};
use ureq::Error;

use super::names::Names;
use super::watch::{current, Stage, State};

/// How long a socket waits without looking at the clock.
const LOOK: Duration = Duration::from_millis(40);

/// Does something that cannot be interrupted in a thread of its own, and waits no longer than the watch
/// allows.
pub(super) fn aside<T: Send + 'static>(
    watch: &State,
    what: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> io::Result<T> {
    let (give, take) = mpsc::sync_channel(1);
    thread::Builder::new().name("acuse-connect".to_owned()).spawn(move || {
        let _ = give.send(what());
    })?;
    loop {
        let left = watch.left()?;
        match take.recv_timeout(left.min(LOOK)) {
            Ok(result) => return result,
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Err(io::Error::other("connecting failed")),
        }
    }
}

/// The tunnel through a proxy, where there is one.
#[derive(Default)]
pub(super) struct Tunnel(ConnectProxyConnector);

impl Connector for Tunnel {
    type Out = Either<(), Box<dyn Transport>>;

    fn connect(
        &self,
        details: &ConnectionDetails<'_>,
        chained: Option<()>,
    ) -> Result<Option<Self::Out>, Error> {
        let watch = current()?;
        watch.set(Stage::Connect);
        watch.connecting();
        watch.nested(1);
        let made = self.0.connect(details, chained);
        watch.nested(-1);
        made
    }
}

impl fmt::Debug for Tunnel {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Tunnel")
    }
}

/// Connects, unless there is a tunnel.
#[derive(Debug)]
pub(super) struct Tcp(pub(super) Arc<Names>);

impl<In: Transport> Connector<In> for Tcp {
    type Out = Either<In, Socket>;

    fn connect(
        &self,
        details: &ConnectionDetails<'_>,
        chained: Option<In>,
    ) -> Result<Option<Self::Out>, Error> {
        if let Some(tunnel) = chained {
            return Ok(Some(Either::A(tunnel)));
        }
        let watch = current()?;
        let addresses: Vec<SocketAddr> = details.addrs.iter().copied().collect();
        let limit = watch.left()?;
        let stream = aside(&watch, move || first_of(&addresses, limit));
        if stream.is_err() {
            self.0.forget();
        }
        Ok(Some(Either::B(Socket::new(stream?, details)?)))
    }
}

/// The first address that answers.
fn first_of(addresses: &[SocketAddr], limit: Duration) -> io::Result<TcpStream> {
    let mut last = io::Error::other("the name has no address");
    for address in addresses {
        match TcpStream::connect_timeout(address, limit) {
            Ok(stream) => return Ok(stream),
            Err(error) => last = error,
        }
    }
    Err(last)
}

/// Says how far the connection came.
#[derive(Debug)]
pub(super) struct Mark(pub(super) Stage);

impl<In: Transport> Connector<In> for Mark {
    type Out = In;

    fn connect(&self, details: &ConnectionDetails<'_>, chained: Option<In>) -> Result<Option<In>, Error> {
        if self.0 != Stage::Tls || details.needs_tls() {
            current()?.set(self.0);
        }
        Ok(chained)
    }
}

pub(super) struct Socket {
    stream: TcpStream,
    buffers: LazyBuffers,
}

impl Socket {
    fn new(stream: TcpStream, details: &ConnectionDetails<'_>) -> io::Result<Self> {
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(LOOK))?;
        stream.set_write_timeout(Some(LOOK))?;
        let config = details.config;
        let buffers = LazyBuffers::new(config.input_buffer_size(), config.output_buffer_size());
        Ok(Self { stream, buffers })
    }
}

fn is_pause(error: &io::Error) -> bool {
    use io::ErrorKind::{Interrupted, TimedOut, WouldBlock};
    matches!(error.kind(), Interrupted | TimedOut | WouldBlock)
}

impl Transport for Socket {
    fn buffers(&mut self) -> &mut dyn Buffers {
        &mut self.buffers
    }

    fn transmit_output(&mut self, amount: usize, _: NextTimeout) -> Result<(), Error> {
        let watch = current()?;
        watch.writing();
        let mut rest = &self.buffers.output()[..amount];
        while !rest.is_empty() {
            watch.left()?;
            match self.stream.write(rest) {
                Ok(0) => return Err(io::Error::from(io::ErrorKind::WriteZero).into()),
                Ok(written) => rest = &rest[written..],
                Err(error) if is_pause(&error) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    fn await_input(&mut self, _: NextTimeout) -> Result<bool, Error> {
        let watch = current()?;
        watch.reading();
        loop {
            watch.left()?;
            match self.stream.read(self.buffers.input_append_buf()) {
                Ok(read) => {
                    self.buffers.input_appended(read);
                    return Ok(read > 0);
                }
                Err(error) if is_pause(&error) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Nothing waits to be read: neither an end nor bytes that nobody asked for.
    fn is_open(&mut self) -> bool {
        let probe = || {
            self.stream.set_nonblocking(true)?;
            let found = self.stream.peek(&mut [0]);
            self.stream.set_nonblocking(false)?;
            found
        };
        matches!(probe(), Err(error) if error.kind() == io::ErrorKind::WouldBlock)
    }
}

impl fmt::Debug for Socket {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Socket")
    }
}
