//! Answers to questions about documents.

use std::time::Duration;

use apiserver::Formats;
use apiserver::code::Chunk;
use apiserver::documents::{self, Documents};
use apiserver::expressions::Fault;
use bytes::Bytes;
use protocol::document::{Answer, Form, FormRequest, Question, Range};
use protocol::message::Error;

use crate::{Code, Stopwatch};

/// How long each form is made over and over to find out how long it takes: a host's clock may be too coarse for one.
const LONG: Duration = Duration::from_millis(5);

/// Answers a question about a document.
pub(crate) async fn answer(
    question: Question,
    document: Bytes,
    code: Code,
    stopwatch: Option<Stopwatch>,
) -> Result<(Answer, Bytes), Error> {
    let Code { formats, documents, evaluate, load, .. } = code;
    if let Some(load) = load {
        for chunk in needed(&question).iter().filter(|chunk| !chunk.is_there()) {
            load(*chunk).await.map_err(Error::NotLoaded)?;
        }
    }
    let documents = || documents().ok_or_else(|| Error::NotLoaded(Chunk::Documents.name().to_owned()));
    let read = match question {
        Question::ToJson { content_type } => (documents()?.to_json)(formats, &content_type, &document),
        Question::EventToJson { content_type } => (documents()?.event_to_json)(&content_type, &document),
        Question::Encode { content_type } => (documents()?.encode)(formats, &content_type, &document),
        Question::Explain { content_type } => {
            let ranges = (documents()?.explain)(&content_type, &document);
            return Ok((Answer::Explained(ranges.into_iter().map(range).collect()), Bytes::new()));
        }
        Question::Represent { forms, now } => {
            return Ok(represent(formats, &documents()?, &forms, now, &document, stopwatch));
        }
        Question::RepresentEvent(FormRequest { uri, accept }) => {
            // There is no age in what is no table, and no table that is not JSON.
            let event = (documents()?.represent_event)(formats, &uri, &accept, &document, Duration::ZERO);
            Ok(event.map(|event| event.body).unwrap_or_default())
        }
        // It is about a cluster, and not for those who have only a document.
        Question::Controllers { .. } => return Err(Error::UnknownCluster),
        Question::Evaluate { expression } => {
            let value = evaluate(&expression, &document).map_err(fault)?;
            return Ok((Answer::Document, Bytes::from_static(if value { b"true" } else { b"false" })));
        }
    };
    read.map(|document| (Answer::Document, Bytes::from(document))).map_err(Error::Document)
}

/// Returns the code that the answer to a question needs.
fn needed(question: &Question) -> &'static [Chunk] {
    match question {
        Question::Represent { .. } | Question::RepresentEvent(_) => {
            &[Chunk::MediaTypes, Chunk::Tables, Chunk::Documents, Chunk::Writes]
        }
        Question::Evaluate { .. } => &[Chunk::Expressions],
        Question::Controllers { .. } => &[],
        // JSON is read by the code of writes.
        _ => &[Chunk::MediaTypes, Chunk::Documents, Chunk::Writes],
    }
}

fn fault(fault: Fault) -> Error {
    match fault {
        Fault::Compilation(why) => Error::Compilation(why),
        Fault::Evaluation(why) => Error::Evaluation(why),
    }
}

fn range(range: documents::Range) -> Range {
    let documents::Range { start, end, depth, kind, what, label, path } = range;
    Range { start, end, depth, kind: kind.name().to_owned(), path, what, label }
}

fn represent(
    formats: Formats,
    documents: &Documents,
    forms: &[FormRequest],
    now: Duration,
    json: &[u8],
    stopwatch: Option<Stopwatch>,
) -> (Answer, Bytes) {
    let mut bodies = Vec::new();
    let forms = forms.iter().map(|form| {
        let make = || (documents.represent)(formats, &form.uri, &form.accept, json, now);
        // The first does not count: it may find the tables of types still to be read.
        let body = make()?.body;
        bodies.extend_from_slice(&body);
        let took = stopwatch.map_or(Duration::ZERO, |stopwatch| timed(stopwatch, || drop(make())));
        Some(Form { size: body.len(), took })
    });
    let forms = forms.collect();
    (Answer::Forms(forms), Bytes::from(bodies))
}

/// Returns how long something takes, as the mean of as many as fit into [`LONG`].
fn timed(stopwatch: Stopwatch, make: impl Fn()) -> Duration {
    let begun = stopwatch();
    let mut runs = 0;
    loop {
        make();
        runs += 1;
        let took = stopwatch().saturating_sub(begun);
        if took >= LONG {
            return took / runs;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A document in JSON is read by the code of writes, whoever has asked for that before.
    #[test]
    fn documents_need_the_code_that_reads_them() {
        let content_type = "application/json".to_owned();
        for question in [
            Question::ToJson { content_type: content_type.clone() },
            Question::EventToJson { content_type: content_type.clone() },
            Question::Encode { content_type },
        ] {
            let needed = needed(&question);
            assert!(needed.contains(&Chunk::Documents) && needed.contains(&Chunk::Writes), "{question:?}");
        }
    }
}
