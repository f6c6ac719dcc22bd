//! The same answer in every media type, side by side.

use bytes::Bytes;
use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::cluster::Request;
use crate::cluster::documents::Measured;
use crate::state::Page;
use crate::ui::dom;
use crate::ui::messages::{self, bytes as said, waterfall};
use crate::ui::part::{IntoPart, Part, act, text};

/// How far the comparison of the media types has come.
#[derive(Clone)]
pub(crate) enum Comparison {
    No,
    Measuring,
    Done(Vec<Compared>),
    Failed(String),
}

/// Measures the representations of `body`, the JSON of the answer to `request`.
pub(crate) fn measure(page: Page, comparison: RwSignal<Comparison>, request: Request, body: Bytes) {
    comparison.set(Comparison::Measuring);
    spawn_local(async move {
        // What says that it is being done has to be drawn first.
        dom::sleep(30).await;
        let measured = page.embedded().measure(&request, body).await;
        let now = match measured {
            Ok(measured) => Comparison::Done(compared(measured)),
            Err(why) => Comparison::Failed(why),
        };
        // What shows it may have been closed meanwhile.
        let _ = comparison.try_set(now);
    });
}

/// The comparison. One of the representations can be chosen, by its place, where there is something to show it.
pub(crate) fn show(comparison: &Comparison, chosen: Option<RwSignal<usize>>) -> Part {
    match comparison {
        Comparison::No => ().part(),
        Comparison::Measuring => view! { <p class="figure" role="status">{waterfall::COMPARING}</p> }.part(),
        Comparison::Failed(why) => view! { <p class="message" role="alert">{why.clone()}</p> }.part(),
        Comparison::Done(all) if all.is_empty() => {
            view! { <p class="figure">{waterfall::COMPARE_NOTHING}</p> }.part()
        }
        Comparison::Done(all) => {
            let rows = all.iter().enumerate().map(|(place, compared)| row(compared, place, chosen));
            view! {
                <table class="compared">
                    <caption>{waterfall::COMPARED}</caption>
                    <thead>
                        <tr>
                            <th scope="col">{waterfall::COMPARE_TYPE}</th>
                            <th scope="col">{waterfall::COMPARE_SIZE}</th>
                            <th scope="col">{waterfall::COMPARE_RATIO}</th>
                            <th scope="col">{said::GZIPPED}</th>
                            <th scope="col">{waterfall::COMPARE_TIME}</th>
                        </tr>
                    </thead>
                    <tbody>{rows.collect_view()}</tbody>
                </table>
            }
            .part()
        }
    }
}

fn row(compared: &Compared, place: usize, chosen: Option<RwSignal<usize>>) -> Part {
    let Compared { measured, share, ratio } = compared;
    let name = match chosen {
        None => measured.name.part(),
        Some(chosen) => view! {
            <button
                type="button"
                title=said::show(measured.name)
                aria-pressed=text(move || (chosen.get() == place).to_string())
                on:click=act(move |_| chosen.set(place))
            >
                {measured.name}
            </button>
        }
        .part(),
    };
    view! {
        <tr>
            <th scope="row" title=measured.media>{name}</th>
            <td>
                <span class="amount" aria-hidden="true"><span style:width=[&share.to_string(), "%"].concat()></span></span>
                {messages::size(measured.body.len())}
            </td>
            <td>{ratio.map(waterfall::ratio)}</td>
            <td>{measured.gzip.map(messages::size)}</td>
            <td>{messages::time(measured.ms)}</td>
        </tr>
    }
    .part()
}

/// A media type, compared with the others.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Compared {
    /// The measurement.
    pub(crate) measured: Measured,
    /// How many percent of the longest it has.
    pub(crate) share: usize,
    /// How many thousandths of JSON it has; nothing where there is no JSON.
    pub(crate) ratio: Option<usize>,
}

/// Compares them. The first is JSON, if there is one.
pub(crate) fn compared(measured: Vec<Measured>) -> Vec<Compared> {
    let longest = measured.iter().map(|measured| measured.body.len()).max().unwrap_or_default().max(1);
    let json = measured.iter().find(|measured| measured.media == "application/json");
    let json = json.map(|measured| measured.body.len().max(1));
    let compare = |measured: Measured| Compared {
        share: (measured.body.len() * 100).div_ceil(longest),
        ratio: json.map(|json| measured.body.len() * 1000 / json),
        measured,
    };
    measured.into_iter().map(compare).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(sizes: &[(&'static str, usize)], expected: &[(usize, Option<usize>)]) {
        let measured = sizes.iter().map(|(media, bytes)| Measured {
            name: "",
            media,
            body: Bytes::from(vec![0; *bytes]),
            gzip: None,
            ms: 0.0,
        });
        let found = compared(measured.collect());
        let found: Vec<_> = found.into_iter().map(|compared| (compared.share, compared.ratio)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn compares_with_json_and_with_the_longest() {
        check(
            &[("application/json", 200), ("application/yaml", 400), ("application/cbor", 150)],
            &[(50, Some(1000)), (100, Some(2000)), (38, Some(750))],
        );
        check(&[("application/cbor", 0)], &[(0, None)]);
        check(&[], &[]);
    }
}
