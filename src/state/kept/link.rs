//! Links that carry a whole request, and if it fits the cluster, behind the `#` of the page's address.

use bytes::Bytes;
use glass::Glass;
use golang::base64;
use leptos::prelude::*;
use miniz_oxide::deflate::compress_to_vec;
use miniz_oxide::inflate::decompress_to_vec_with_limit;
use recording::{Options, Recording, Writer};
use serde::{Deserialize, Serialize};
use std::time::Duration;

use crate::cluster::{Request, Which};
use crate::state::Page;
use crate::state::address::{LONGEST, MARK, base};
use crate::state::recording::fold;
use crate::ui::messages::kept as words;

/// The version of links. It changes whenever a page of before could misread one.
const VERSION: u8 = 1;
/// The most bytes that a link may tell.
const ROOM: usize = 4 << 20;

/// The contents of a link.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Link {
    /// The request.
    pub(crate) request: Request,
    /// The namespace that lists are about.
    pub(crate) namespace: String,
    /// The revision that the page shows.
    pub(crate) at: Option<u64>,
    /// The view.
    pub(crate) view: String,
    /// A recording of the cluster.
    pub(crate) cluster: Option<Bytes>,
}

/// Why a link is not understood.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trouble {
    /// It is of a newer version.
    Newer,
    /// It was cut off, or changed.
    Cut,
}

impl Trouble {
    /// Returns what to tell.
    pub(crate) fn sentence(self) -> &'static str {
        match self {
            Self::Newer => words::LINK_NEWER,
            Self::Cut => words::LINK_CUT,
        }
    }
}

impl Link {
    /// Returns it as it stands in an address, with the `#`.
    pub(crate) fn write(&self) -> String {
        let told = postcard::to_allocvec(self).unwrap_or_default();
        let mut bytes = vec![VERSION];
        bytes.extend(compress_to_vec(&told, 9));
        [MARK, &base64::encode_url(bytes)].concat()
    }

    /// Reads the `#` of an address and what follows; `None` if it is no such link.
    ///
    /// # Errors
    /// It is one, and is not understood.
    pub(crate) fn read(hash: &str) -> Option<Result<Self, Trouble>> {
        let text = hash.strip_prefix(MARK)?;
        let read = || {
            let bytes = base64::decode_url(text).ok_or(Trouble::Cut)?;
            let (version, packed) = bytes.split_first().ok_or(Trouble::Cut)?;
            if *version > VERSION {
                return Err(Trouble::Newer);
            }
            let told = decompress_to_vec_with_limit(packed, ROOM).map_err(|_| Trouble::Cut)?;
            postcard::from_bytes(&told).map_err(|_| Trouble::Cut)
        };
        Some(read())
    }

    /// Returns the cluster; `None` if there is none.
    ///
    /// # Errors
    /// It cannot be read.
    pub(crate) async fn glass(&self) -> Option<Result<Glass, Trouble>> {
        let recording = Recording::open(self.cluster.clone()?).map_err(|_| Trouble::Cut);
        let recording = match recording {
            Ok(recording) => recording,
            Err(trouble) => return Some(Err(trouble)),
        };
        let mut glass = Glass::default();
        let missing = fold(recording.batches(), usize::MAX, &mut glass, |_| ()).await;
        Some(if missing.is_none() && glass.backup().is_some() { Ok(glass) } else { Err(Trouble::Cut) })
    }
}

/// Returns the page's address with what the page shows; with the cluster, if that is wanted.
///
/// # Errors
/// The text to show: it would be too long.
pub(crate) fn address(page: Page, with_cluster: bool) -> Result<String, String> {
    let link = Link {
        request: page.form.request(),
        namespace: page.namespace.get_untracked(),
        at: page.at.get_untracked(),
        view: page.view.get_untracked().id().to_owned(),
        cluster: with_cluster.then(|| recorded(page).into()),
    };
    let address = [base(), link.write()].concat();
    if address.len() > LONGEST { Err(words::too_long(address.len(), LONGEST)) } else { Ok(address) }
}

/// Returns all that is known of the cluster of this tab, as a recording.
pub(crate) fn recorded(page: Page) -> Vec<u8> {
    let options = Options { limit: u64::MAX, level: 9, secrets: true, ..Options::default() };
    let mut writer = Writer::new(options);
    let mut out = Vec::new();
    for batch in page.quietly(|model| model.glass(Which::ThisTab).retell(u64::MAX)).unwrap_or_default() {
        out.extend(writer.push(batch, Duration::ZERO));
    }
    out.extend(writer.finish());
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn link() -> Link {
        let request = Request::json("POST", "/api/v1/namespaces/default/pods?dryRun=All", "{\"a\": \"é\"}");
        let cluster = Some(Bytes::from_static(b"KGREC"));
        Link { request, namespace: "default".to_owned(), at: Some(7), view: "lab".to_owned(), cluster }
    }

    #[test]
    fn a_link_carries_the_whole_request() {
        let hash = link().write();
        assert_eq!(Link::read(&hash), Some(Ok(link())));
        assert!(hash.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"#!-_".contains(&byte)), "{hash}");
    }

    #[test]
    fn what_is_no_such_link_is_left_to_others() {
        for hash in ["", "#", "#GET/api/v1/pods", "#answer"] {
            assert_eq!(Link::read(hash), None, "{hash}");
        }
    }

    #[test]
    fn a_link_that_was_cut_off_is_told() {
        let hash = link().write();
        for end in 2..hash.len() {
            let read = Link::read(&hash[..end]);
            assert!(matches!(read, Some(Err(Trouble::Cut))), "{end} of {}: {read:?}", hash.len());
        }
        assert_eq!(Link::read("#!_w"), Some(Err(Trouble::Newer)));
        assert_eq!(Link::read("#!%%"), Some(Err(Trouble::Cut)));
    }
}
