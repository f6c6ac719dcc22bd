//! The choice of controllers, in the syntax of kube-controller-manager.
//!
//! See <https://kubernetes.io/docs/reference/command-line-tools-reference/kube-controller-manager/>.

use golang::strconv::quote;

use crate::certificates::SIGNING;
use crate::table::{CONTROLLERS, Descriptor, ELSEWHERE};

/// The error in a choice of controllers.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SelectionError {
    /// There is no such controller.
    #[error("{} is not in the list of known controllers", quote(.0))]
    Unknown(String),
    /// kube-controller-manager has it, and this crate has not.
    #[error("{} is not available", quote(.0))]
    NotAvailable(String),
}

/// A choice of controllers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection(Vec<String>);

impl Selection {
    /// Reads a list as `--controllers` of kube-controller-manager has it: `*` are all controllers, `foo` is the one of that name, and
    /// `-foo` is left out. The first mention of a controller counts. Of an empty list none is chosen.
    ///
    /// # Errors
    /// A name that kube-controller-manager does not know, or that is not available here.
    ///
    /// ```
    /// use controllers::Selection;
    ///
    /// let selection = Selection::parse(["*", "-garbage-collector-controller"])?;
    /// assert!(selection.names().any(|name| name == "deployment-controller"));
    /// assert!(!selection.names().any(|name| name == "garbage-collector-controller"));
    /// let error = Selection::parse(["foo"]).unwrap_err();
    /// assert_eq!(error.to_string(), "\"foo\" is not in the list of known controllers");
    /// # Ok::<(), controllers::SelectionError>(())
    /// ```
    pub fn parse<T: AsRef<str>>(list: impl IntoIterator<Item = T>) -> Result<Self, SelectionError> {
        let mut items = Vec::new();
        for item in list {
            let item = item.as_ref();
            if item == "*" {
                items.push(item.to_owned());
                continue;
            }
            let (minus, word) = item.strip_prefix('-').map_or(("", item), |word| ("-", word));
            let here = CONTROLLERS.iter().find(|one| one.name == word || one.alias == word);
            let elsewhere =
                || ELSEWHERE.iter().any(|(name, alias)| *name == word || *alias == word && !alias.is_empty());
            match here {
                Some(descriptor) => items.push([minus, descriptor.name].concat()),
                None if !elsewhere() => return Err(SelectionError::Unknown(word.to_owned())),
                None if minus.is_empty() => return Err(SelectionError::NotAvailable(word.to_owned())),
                None => {}
            }
        }
        Ok(Self(items))
    }

    /// Reads a list whose items are separated by commas.
    ///
    /// # Errors
    /// As [`Self::parse`].
    pub fn parse_list(list: &str) -> Result<Self, SelectionError> {
        Self::parse(list.split(',').filter(|item| !item.is_empty()))
    }

    /// Adds a controller, unless the list mentions it.
    ///
    /// # Errors
    /// As [`Self::parse`].
    pub fn with(self, name: &str) -> Result<Self, SelectionError> {
        Self::parse(self.0.into_iter().chain([name.to_owned()]))
    }

    /// Returns the names of the chosen controllers.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.descriptors().map(|descriptor| descriptor.name)
    }

    /// Reports whether the controller is chosen that has approved CertificateSigningRequests signed.
    pub fn signs(&self) -> bool {
        self.names().any(|name| name == SIGNING)
    }

    /// Reports whether no controller is chosen.
    pub fn is_empty(&self) -> bool {
        self.descriptors().next().is_none()
    }

    pub(crate) fn descriptors(&self) -> impl Iterator<Item = &'static Descriptor> {
        CONTROLLERS.iter().filter(|descriptor| self.has(descriptor.name))
    }

    fn has(&self, name: &str) -> bool {
        let mention = self.0.iter().find(|item| item.strip_prefix('-').unwrap_or(item) == name);
        match mention {
            Some(item) => !item.starts_with('-'),
            None => self.0.iter().any(|item| item == "*"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(list: &str, expected: Result<&[&str], &str>) {
        let found = Selection::parse_list(list).map(|selection| selection.names().collect::<Vec<_>>());
        let found = found.map_err(|error| error.to_string());
        assert_eq!(found.as_deref().map_err(String::as_str), expected);
    }

    #[test]
    fn lists_are_read_as_the_controller_manager_reads_them() {
        let all: Vec<_> = CONTROLLERS.iter().map(|descriptor| descriptor.name).collect();
        let but = |name: &str| all.iter().copied().filter(|own| *own != name).collect::<Vec<_>>();
        check("", Ok(&[]));
        check("*", Ok(&all));
        check("*,-deployment-controller", Ok(&but("deployment-controller")));
        check("-deployment,*", Ok(&but("deployment-controller")));
        check("deployment", Ok(&["deployment-controller"]));
        check("deployment-controller,-deployment-controller", Ok(&["deployment-controller"]));
        check("*,-nodeipam,-node-route-controller", Ok(&all));
        check("-deployment-controller", Ok(&[]));
        check("Deployment", Err("\"Deployment\" is not in the list of known controllers"));
        check("*,-x", Err("\"x\" is not in the list of known controllers"));
        check("resourceclaim-controller", Err("\"resourceclaim-controller\" is not available"));
    }

    #[test]
    fn a_controller_is_added_unless_it_is_mentioned() {
        let check = |list: &str, expected: &[&str]| {
            let selection = Selection::parse_list(list).unwrap().with("resourcequota-controller").unwrap();
            assert_eq!(selection.names().collect::<Vec<_>>(), expected, "{list}");
        };
        check("", &["resourcequota-controller"]);
        check("resourcequota", &["resourcequota-controller"]);
        check("-resourcequota", &[]);
        check("job", &["resourcequota-controller", "job-controller"]);
    }
}
