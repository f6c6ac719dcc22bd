//! Telling the outcome of documents, as text and as JSON.

use std::io::{self, Write};

use document::block::{Block, Content};
use document::run::{Outcome, Sent};
use serde_json::{Value, json};

use super::{Ran, is_left_out};

/// The most of a body that is told.
const LONGEST: usize = 2_000;

/// Prints a document: each block, what was sent, what came, and how that differs.
pub(crate) fn text(ran: &Ran, out: &mut impl Write) -> io::Result<()> {
    for (block, outcome) in ran.page.blocks.iter().zip(&ran.outcomes) {
        let place = format!("{}:{}", ran.name, block.line);
        if let Content::Text(Some(why)) = &block.content {
            writeln!(out, "-    {place}: {} does not run: {why}", first_line(block))?;
            continue;
        }
        let Some(outcome) = outcome else { continue };
        writeln!(out, "{} {place}: {}", mark(outcome), first_line(block))?;
        for sent in &outcome.sent {
            let documented = if sent.documented { ", as documented" } else { "" };
            let documented = if sent.differences.is_empty() { documented } else { "" };
            writeln!(
                out,
                "       {} {} -> {}{documented}",
                sent.request.method, sent.request.target, sent.response.status
            )?;
            for note in &sent.notes {
                writeln!(out, "         {note}")?;
            }
            for difference in &sent.differences {
                writeln!(out, "         differs: {difference}")?;
            }
        }
        for difference in &outcome.differences {
            writeln!(out, "         differs: {difference}")?;
        }
        if let Some(why) = &outcome.failed {
            writeln!(out, "         could not be run: {why}")?;
        }
    }
    Ok(())
}

/// Prints how many blocks of all documents came as documented.
pub(crate) fn summary(all: &[Ran], out: &mut impl Write) -> io::Result<()> {
    let outcomes: Vec<&Outcome> = all.iter().flat_map(|ran| ran.outcomes.iter().flatten()).collect();
    let blocks = || all.iter().flat_map(|ran| &ran.page.blocks);
    let left_out = blocks().filter(|block| is_left_out(&block.content)).count();
    let same = outcomes.iter().filter(|outcome| outcome.is_as_documented()).count();
    let ran = outcomes.len();
    writeln!(out, "{ran} blocks ran, {same} as documented, {} otherwise; {left_out} do not run", ran - same)
}

/// Prints all documents as JSON.
pub(crate) fn json(all: &[Ran], out: &mut impl Write) -> io::Result<()> {
    let documents: Vec<Value> = all.iter().map(document).collect();
    serde_json::to_writer_pretty(&mut *out, &documents)?;
    writeln!(out)
}

fn document(ran: &Ran) -> Value {
    let blocks = ran.page.blocks.iter().zip(&ran.outcomes).filter_map(|(block, outcome)| {
        let why = match &block.content {
            Content::Text(Some(why)) => Some(why.to_string()),
            _ => None,
        };
        if outcome.is_none() && why.is_none() {
            return None;
        }
        let outcome = outcome.as_ref();
        Some(json!({
            "line": block.line,
            "heading": block.heading,
            "text": block.text,
            "doesNotRun": why,
            "asDocumented": outcome.map(Outcome::is_as_documented),
            "sent": outcome.map(|outcome| outcome.sent.iter().map(sent).collect::<Vec<_>>()),
            "printed": outcome.and_then(|outcome| outcome.printed.clone()),
            "differences": outcome.map(|outcome| outcome.differences.iter().map(difference).collect::<Vec<_>>()),
            "failed": outcome.and_then(|outcome| outcome.failed.clone()),
        }))
    });
    json!({"file": ran.name, "title": ran.page.title, "blocks": blocks.collect::<Vec<_>>()})
}

fn sent(sent: &Sent) -> Value {
    let headers = |headers: &[(String, String)]| {
        headers.iter().map(|(name, value)| json!([name, value])).collect::<Vec<_>>()
    };
    json!({
        "method": sent.request.method,
        "target": sent.request.target,
        "headers": headers(&sent.request.headers),
        "body": shortened(&sent.request.body),
        "status": sent.response.status,
        "responseHeaders": headers(&sent.response.headers),
        "responseBody": sent.body.iter().map(|part| shortened(part)).collect::<Vec<_>>(),
        "notes": sent.notes.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "documented": sent.documented,
        "differences": sent.differences.iter().map(difference).collect::<Vec<_>>(),
    })
}

fn difference(difference: &document::compare::Difference) -> Value {
    json!({
        "at": difference.at,
        "documented": difference.documented,
        "came": difference.came,
        "why": difference.why.map(|why| why.to_string()),
    })
}

fn shortened(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    match text.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
        None => text.into_owned(),
    }
}

fn mark(outcome: &Outcome) -> &'static str {
    match outcome {
        outcome if !outcome.is_as_documented() => "DIFF",
        outcome if outcome.sent.iter().any(|sent| sent.documented) => "ok  ",
        _ => "ran ",
    }
}

fn first_line(block: &Block) -> &str {
    block.text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default()
}
