//! A workshop, for `--workshop FILE`: a room with one server. Each attendee has a user, a namespace, rights in it and a quota, and
//! the leader sees who has come how far.

mod invitation;
mod list;
mod objects;

use std::io;
use std::path::{Path, PathBuf};

use apiserver::{ApiServer, Random, User};
use controllers::Selection;

pub use invitation::Invitation;
pub(crate) use invitation::base;
pub use list::{Problem, WrongLine};

/// The name of the leader, which no attendee can have.
const LEADER: &str = "leader";
/// The API group of the resource that says who has come how far.
const GROUP: &str = "workshop.kubeglass.dev";
/// The group of all attendees.
const ATTENDEES: &str = "workshop:attendees";
/// The group of those who may do everything.
const MASTERS: &str = "system:masters";
/// The number of random bytes in a token that nobody has given.
const TOKEN_BYTES: usize = 16;

/// The reason why there is no workshop.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The list cannot be read.
    #[error("cannot read the list of the workshop {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The error from reading it.
        source: io::Error,
    },
    /// The list has an error.
    #[error("the list of the workshop {} is wrong in {source}", path.display())]
    List {
        /// The file.
        path: PathBuf,
        /// The line, and the error in it.
        source: WrongLine,
    },
    /// The cluster refuses an object.
    #[error("the workshop cannot be prepared: {request}: {why}")]
    Refused {
        /// The method and the path of the request.
        request: String,
        /// The message of the response.
        why: String,
    },
}

/// Somebody who takes part.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Person {
    name: String,
    token: String,
}

/// The people of a workshop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Workshop {
    leader: Person,
    /// The attendees, in the order of the list.
    attendees: Vec<Person>,
}

impl Workshop {
    /// Reads the list of a workshop. Who has no token gets one. `taken` are the tokens of others.
    ///
    /// # Errors
    /// The file cannot be read, or a line of it is wrong.
    pub(crate) fn read(path: &Path, taken: &[(String, User)], random: &dyn Random) -> Result<Self, Error> {
        let text =
            std::fs::read_to_string(path).map_err(|source| Error::Read { path: path.to_owned(), source })?;
        let is_taken = |token: &str| taken.iter().any(|(known, _)| known == token);
        let entries =
            list::parse(&text, is_taken).map_err(|source| Error::List { path: path.to_owned(), source })?;
        let people = entries.into_iter().map(|entry| Person {
            name: entry.name,
            token: entry.token.unwrap_or_else(|| make_token(random)),
        });
        let (leaders, attendees): (Vec<_>, Vec<_>) = people.partition(|person| person.name == LEADER);
        let leader = leaders.into_iter().next();
        let leader = leader.unwrap_or_else(|| Person { name: LEADER.to_owned(), token: make_token(random) });
        Ok(Self { leader, attendees })
    }

    /// Returns the tokens and their users.
    pub(crate) fn users(&self) -> impl Iterator<Item = (String, User)> {
        let user = |person: &Person, group: &str| User {
            name: person.name.clone(),
            uid: ["workshop:", &person.name].concat(),
            groups: vec![group.to_owned()],
            ..User::default()
        };
        let attendees = self.attendees.iter().map(move |one| (one.token.clone(), user(one, ATTENDEES)));
        std::iter::once((self.leader.token.clone(), user(&self.leader, MASTERS))).chain(attendees)
    }

    /// Makes all objects that are not there yet.
    ///
    /// # Errors
    /// The cluster refuses one.
    pub(crate) async fn prepare(&self, api: &ApiServer) -> Result<(), Error> {
        objects::create(api, self.attendees.iter().map(|person| person.name.as_str())).await
    }

    /// Returns an invitation for the leader and one for each attendee: links to the page at an origin, or tokens if there is none.
    pub(crate) fn invitations(&self, page: Option<&str>) -> Vec<Invitation> {
        let leader = Invitation::of_leader(&self.leader.name, &self.leader.token, page);
        let attendees = self.attendees.iter().map(|one| Invitation::of_attendee(&one.name, &one.token, page));
        std::iter::once(leader).chain(attendees).collect()
    }
}

/// Adds the controller without which a quota is used up for good, unless it is left out by name.
pub(crate) fn choose_controllers(selection: &mut Selection) {
    if let Ok(more) = selection.clone().with("resourcequota-controller") {
        *selection = more;
    }
}

/// Makes a token that nobody can guess.
fn make_token(random: &dyn Random) -> String {
    let mut bytes = [0; TOKEN_BYTES];
    random.fill(&mut bytes);
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use apiserver::SeededRandom;

    use super::*;

    fn read(text: &str) -> Workshop {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(text.as_bytes()).unwrap();
        Workshop::read(file.path(), &[], &SeededRandom::new(1)).unwrap()
    }

    /// `expected`: a line for each user, `name token groups`; a token that was made is `…`.
    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let workshop = read(text);
        let users = workshop.users().map(|(token, user)| {
            let made = token.len() == 2 * TOKEN_BYTES && token.bytes().all(|byte| byte.is_ascii_hexdigit());
            format!("{} {} {}", user.name, if made { "…" } else { &token }, user.groups.join(","))
        });
        assert_eq!(users.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn everybody_has_a_token() {
        check("", &["leader … system:masters"]);
        check("anna", &["leader … system:masters", "anna … workshop:attendees"]);
        check(
            "anna,secret\nleader,boss\nben",
            &["leader boss system:masters", "anna secret workshop:attendees", "ben … workshop:attendees"],
        );
    }

    #[test]
    fn no_two_tokens_are_the_same() {
        let tokens: Vec<_> = read("anna\nben").users().map(|(token, _)| token).collect();
        assert!(tokens[0] != tokens[1] && tokens[1] != tokens[2], "{tokens:?}");
    }
}
