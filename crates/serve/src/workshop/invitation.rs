//! Invitations: a link to the page for each who takes part, or a token.

use std::fmt;
use std::net::SocketAddr;

use golang::url::query_escape;

use super::GROUP;
use crate::args::Options;
use crate::origin::origin;

/// A name, and how its owner gets in. It is printed as one line, with a tab between both.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invitation {
    /// The name.
    pub name: String,
    /// A link to the page, or a token if the server has no page.
    pub way: String,
}

impl fmt::Display for Invitation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}\t{}", self.name, self.way)
    }
}

impl Invitation {
    /// Makes the leader's: the page on the cluster of the server, which shows the attendees.
    pub(super) fn of_leader(name: &str, token: &str, page: Option<&str>) -> Self {
        let search = ["?engine=here&view=cluster&path=/apis/", GROUP, "/v1/attendees"].concat();
        Self::new(name, token, page, &search, "")
    }

    /// Makes an attendee's: the page on a cluster of its own, with the lessons.
    pub(super) fn of_attendee(name: &str, token: &str, page: Option<&str>) -> Self {
        Self::new(name, token, page, "?view=learn", &["&attendee=", name].concat())
    }

    /// Puts what is private behind the `#`, which browsers send to nobody. `static/enter.js` takes it from there.
    fn new(name: &str, token: &str, page: Option<&str>, search: &str, more: &str) -> Self {
        let way = match page {
            Some(origin) => [origin, "/ui/", search, "#token=", &query_escape(token), more].concat(),
            None => token.to_owned(),
        };
        Self { name: name.to_owned(), way }
    }
}

/// Returns the origin of the links: the one that was given, or where the server listens.
pub(crate) fn base(options: &Options, address: SocketAddr) -> String {
    options.workshop_url.clone().unwrap_or_else(|| origin(options, address))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_base(listen: &str, address: &str, url: Option<&str>, expected: &str) {
        let options =
            Options { listen: listen.to_owned(), workshop_url: url.map(str::to_owned), ..Options::default() };
        assert_eq!(base(&options, address.parse().unwrap()), expected);
    }

    #[test]
    fn origins() {
        check_base("127.0.0.1:0", "127.0.0.1:4321", None, "http://127.0.0.1:4321");
        check_base("[::1]:80", "[::1]:80", None, "http://[::1]:80");
        check_base("localhost:0", "127.0.0.1:4321", None, "http://localhost:4321");
        check_base("lab.example:80", "192.168.1.7:80", None, "http://lab.example:80");
        check_base("0.0.0.0:80", "0.0.0.0:80", Some("https://lab.example"), "https://lab.example");
    }

    #[test]
    fn tokens_stand_behind_the_fragment() {
        let origin = Some("http://lab.example");
        let attendee = Invitation::of_attendee("anna", "a&b#c%d+=", origin);
        let way = "http://lab.example/ui/?view=learn#token=a%26b%23c%25d%2B%3D&attendee=anna";
        assert_eq!(attendee.to_string(), ["anna\t", way].concat());
        let leader = Invitation::of_leader("leader", "t", origin);
        let way = "http://lab.example/ui/?engine=here&view=cluster&path=/apis/workshop.kubeglass.dev/v1/attendees#token=t";
        assert_eq!(leader.way, way);
        assert_eq!(Invitation::of_attendee("anna", "a&b", None).to_string(), "anna\ta&b");
    }
}
