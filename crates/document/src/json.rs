//! Outcomes as JSON, for programs and for scripts: what `kubeglass doc --json` prints, and what a page that embeds examples is told.

use serde_json::{Value, json};

use crate::block::{Block, Content};
use crate::compare::Difference;
use crate::message::Body;
use crate::run::{Outcome, Sent};

/// Returns a block, and its outcome if it has run. Bodies are cut off behind so many characters.
pub fn block(block: &Block, outcome: Option<&Outcome>, longest: usize) -> Value {
    let mut value = json!({
        "line": block.line,
        "heading": block.heading.text,
        "text": block.text,
        "doesNotRun": why(block),
    });
    if let (Some(value), Some(outcome)) = (value.as_object_mut(), outcome) {
        let mut told = self::outcome(outcome, longest);
        if let Some(told) = told.as_object_mut() {
            value.append(told);
        }
    }
    value
}

/// Returns the reason why a block does not run, if it looks as if it did.
pub fn why(block: &Block) -> Option<String> {
    match &block.content {
        Content::Text(Some(why)) => Some(why.to_string()),
        _ => None,
    }
}

/// Returns an outcome. Bodies are cut off behind so many characters.
pub fn outcome(outcome: &Outcome, longest: usize) -> Value {
    json!({
        "asDocumented": outcome.is_as_documented(),
        "sent": outcome.sent.iter().map(|one| sent(one, longest)).collect::<Vec<_>>(),
        "printed": outcome.printed,
        "differences": outcome.differences.iter().map(difference).collect::<Vec<_>>(),
        "failed": outcome.failed,
    })
}

/// Returns a request and what came. Bodies are cut off behind so many characters.
pub fn sent(sent: &Sent, longest: usize) -> Value {
    let stream = match sent.response.body {
        Body::Stream(stream) => Some(stream),
        Body::Whole(_) => None,
    };
    json!({
        "method": sent.request.method,
        "target": sent.request.target,
        "headers": headers(&sent.request.headers),
        "body": shortened(&sent.request.body, longest),
        "status": sent.response.status,
        "responseHeaders": headers(&sent.response.headers),
        "responseBody": sent.body.iter().map(|part| shortened(part, longest)).collect::<Vec<_>>(),
        "stream": stream,
        "notes": sent.notes.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "documented": sent.documented,
        "differences": sent.differences.iter().map(difference).collect::<Vec<_>>(),
    })
}

fn headers(headers: &[(String, String)]) -> Vec<Value> {
    headers.iter().map(|(name, value)| json!([name, value])).collect()
}

fn difference(difference: &Difference) -> Value {
    json!({
        "at": difference.at,
        "documented": difference.documented,
        "came": difference.came,
        "why": difference.why.map(|why| why.to_string()),
    })
}

fn shortened(bytes: &[u8], longest: usize) -> String {
    let text = String::from_utf8_lossy(bytes);
    match text.char_indices().nth(longest) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
        None => text.into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::Heading;

    #[test]
    fn bodies_are_cut_between_characters() {
        let check = |text: &str, longest, expected: &str| {
            assert_eq!(shortened(text.as_bytes(), longest), expected);
        };
        check("größer", 3, "grö…");
        check("größer", 6, "größer");
        check("", 0, "");
    }

    #[test]
    fn what_does_not_run_says_why() {
        let block = Block::new("GET /api/v1/namespaces/{name}/pods\n", 7, "http", &Heading::default());
        let told = super::block(&block, None, 100);
        assert_eq!(told["line"], 7);
        assert_eq!(told["doesNotRun"], "{name} stands for something else.");
        assert_eq!(told.get("sent"), None);
    }
}
