//! Redirections: where the streams of commands go to, and come from.
//!
//! See <https://pubs.opengroup.org/onlinepubs/9799919799/utilities/V3_chap02.html#tag_19_07>.

use super::files::resolve;
use super::ran::{Piece, Ran, Target};
use super::shell::{NULL, Shell, Stdin};
use super::syntax::Redirection;

impl Shell {
    /// Sends output where it is to go.
    pub(super) fn route(&mut self, mut ran: Ran, out: &Target, err: &Target) -> Ran {
        let pieces = std::mem::take(&mut ran.pieces);
        for piece in pieces {
            let (target, bytes) = match piece {
                Piece::Stdout(bytes) => (out, bytes),
                Piece::Stderr(bytes) => (err, bytes),
                Piece::Sleep(_) | Piece::Unknown => {
                    ran.pieces.push(piece);
                    continue;
                }
            };
            match target {
                Target::Stdout => ran.pieces.push(Piece::Stdout(bytes)),
                Target::Stderr => ran.pieces.push(Piece::Stderr(bytes)),
                Target::Nowhere => {}
                Target::File(path) => {
                    if let Err(why) = self.machine.files.write(path, &bytes, true) {
                        ran.complain(&["sh: write error: ", why]);
                        ran.code = 1;
                    }
                }
            }
        }
        ran
    }

    pub(super) fn redirect(
        &mut self,
        redirection: &Redirection,
        (out, err): (&mut Target, &mut Target),
        input: &mut Option<Stdin>,
    ) -> Result<(), String> {
        match redirection {
            Redirection::Input(file) => {
                let name = self.expand(file).join(" ");
                let path = resolve(&self.directory, &name);
                let bytes = if path == NULL { Some(&b""[..]) } else { self.machine.files.read(&path) };
                let bytes = bytes.ok_or_else(|| ["can't open ", &name, ": no such file"].concat())?;
                *input = Some(Stdin { bytes: bytes.to_vec(), is_read: false });
            }
            Redirection::Output(stream, file, appends) => {
                let name = self.expand(file).join(" ");
                let path = resolve(&self.directory, &name);
                let target = if *stream == 1 { out } else { err };
                if path == NULL {
                    *target = Target::Nowhere;
                } else {
                    let opened = self.machine.files.write(&path, b"", *appends);
                    opened.map_err(|why| ["can't create ", &name, ": ", why].concat())?;
                    *target = Target::File(path);
                }
            }
            Redirection::Copy(1, _) => *out = err.clone(),
            Redirection::Copy(..) => *err = out.clone(),
        }
        Ok(())
    }
}
