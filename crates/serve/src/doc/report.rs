//! Telling the outcome of documents, as text and as JSON.

use std::io::{self, Write};

use document::block::{Block, Content, Role};
use document::json;
use document::message::Body;
use document::run::{Outcome, Sent};
use serde_json::{Value, json};

use super::lesson::Played;
use super::{Ran, is_left_out};

/// The most of a body that is told.
const LONGEST: usize = 2_000;

/// Prints a document: each block, what was sent, what came, and how that differs; and each step of a lesson where its check is.
pub(crate) fn text(ran: &Ran, out: &mut impl Write) -> io::Result<()> {
    for problem in &ran.problems {
        writeln!(out, "FAIL {}:{}: {}", ran.name, problem.line, problem.text)?;
    }
    for (number, (block, outcome)) in ran.page.blocks.iter().zip(&ran.outcomes).enumerate() {
        let place = format!("{}:{}", ran.name, block.line);
        if let Some(played) = ran.steps.iter().find(|played| played.step.check == number) {
            step(&place, played, out)?;
        }
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
            if let Some(message) = refusal(sent) {
                writeln!(out, "         the server says: {message}")?;
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

/// Returns the message of a failure that is not as documented.
fn refusal(sent: &Sent) -> Option<String> {
    let Body::Whole(body) = &sent.response.body else { return None };
    let is_other = sent.response.status >= 400 && !sent.differences.is_empty();
    let status: Value = serde_json::from_slice(body).ok().filter(|_| is_other)?;
    Some(status["message"].as_str()?.to_owned())
}

fn step(place: &str, played: &Played, out: &mut impl Write) -> io::Result<()> {
    let Played { step, tried, faults } = played;
    if faults.is_empty() {
        let refuses = if step.wrong.is_empty() { "" } else { "refuses what is wrong, and " };
        writeln!(out, "ok   {place}: step {:?}: {refuses}is fulfilled by its solution", step.title)?;
    } else {
        writeln!(out, "FAIL {place}: step {:?}: {}", step.title, faults.join("; "))?;
    }
    for tried in tried {
        let role = role(tried.role);
        for sent in &tried.sent {
            let Sent { request, response, .. } = sent;
            writeln!(out, "       {role}: {} {} -> {}", request.method, request.target, response.status)?;
            for note in &sent.notes {
                writeln!(out, "         {note}")?;
            }
        }
    }
    Ok(())
}

fn role(role: Role) -> &'static str {
    match role {
        Role::Example => "example",
        Role::Solution => "solution",
        Role::Wrong => "wrong",
    }
}

/// Prints how many blocks of all documents came as documented.
pub(crate) fn summary(all: &[Ran], out: &mut impl Write) -> io::Result<()> {
    let outcomes: Vec<&Outcome> = all.iter().flat_map(|ran| ran.outcomes.iter().flatten()).collect();
    let blocks = || all.iter().flat_map(|ran| &ran.page.blocks);
    let left_out = blocks().filter(|block| is_left_out(&block.content)).count();
    let same = outcomes.iter().filter(|outcome| outcome.is_as_documented()).count();
    let ran = outcomes.len();
    write!(out, "{ran} blocks ran, {same} as documented, {} otherwise; {left_out} do not run", ran - same)?;
    let steps = || all.iter().flat_map(|ran| &ran.steps);
    let (count, right) = (steps().count(), steps().filter(|played| played.is_right()).count());
    if count > 0 {
        write!(out, "; {count} steps, {right} as they should be")?;
    }
    writeln!(out)
}

/// Prints all documents as JSON.
pub(crate) fn json(all: &[Ran], out: &mut impl Write) -> io::Result<()> {
    let documents: Vec<Value> = all.iter().map(document).collect();
    serde_json::to_writer_pretty(&mut *out, &documents)?;
    writeln!(out)
}

fn document(ran: &Ran) -> Value {
    let blocks = ran.page.blocks.iter().zip(&ran.outcomes).filter_map(|(block, outcome)| {
        let told = outcome.is_some() || matches!(block.content, Content::Text(Some(_)));
        told.then(|| json::block(block, outcome.as_ref(), LONGEST))
    });
    let problems = ran.problems.iter().map(|problem| json!({"line": problem.line, "text": problem.text}));
    json!({
        "file": ran.name,
        "title": ran.page.title,
        "blocks": blocks.collect::<Vec<_>>(),
        "steps": ran.steps.iter().map(|played| step_json(ran, played)).collect::<Vec<_>>(),
        "problems": problems.collect::<Vec<_>>(),
    })
}

fn step_json(ran: &Ran, played: &Played) -> Value {
    let tried = played.tried.iter().map(|tried| {
        let sent = tried.sent.iter().map(|sent| json::sent(sent, LONGEST)).collect::<Vec<_>>();
        json!({"line": tried.line, "role": role(tried.role), "sent": sent})
    });
    json!({
        "line": ran.page.blocks.get(played.step.check).map(|block| block.line),
        "title": played.step.title,
        "right": played.is_right(),
        "faults": played.faults,
        "tried": tried.collect::<Vec<_>>(),
    })
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
