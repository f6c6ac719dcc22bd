//! The texts of the page that need a type of the model, and those of [`crate::ui::messages`].

pub(crate) mod change;
pub(crate) mod explore;
pub(crate) mod lab;
pub(crate) mod manifest;
pub(crate) mod owners;
pub(crate) mod past;
pub(crate) mod policy;
pub(crate) mod rails;
pub(crate) mod reflector;
pub(crate) mod webhooks;

pub(crate) use crate::ui::messages::*;

use crate::model::watch::Note;

pub(crate) fn note(note: &Note) -> String {
    match note {
        Note::Resumed(version) if version.is_empty() => "Opened anew".to_owned(),
        Note::Resumed(version) => format!("Resumed from {version}"),
        Note::Stopped => "Stopped".to_owned(),
        Note::Ended => "The server closed the stream".to_owned(),
        Note::Broken(why) => format!("The connection broke: {why}"),
    }
}
