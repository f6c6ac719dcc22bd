//! The explanation of a field, for users who point at it.

use schema::Types;
use serde::Serialize;

use crate::model::request::schema::{Shape, facts, find, help_name, value_names};
use crate::model::request::subject::{How, Subject};
use crate::request::editor::complete::{Question, steps};

/// The explanation of a field; its description is looked up by `help`.
#[derive(Debug, Default, PartialEq, Serialize)]
pub(crate) struct Card {
    pub(crate) title: String,
    /// The Go type.
    #[serde(rename = "type")]
    pub(crate) ty: String,
    pub(crate) facts: Vec<String>,
    /// The type and the field by which it is described.
    pub(crate) help: [String; 2],
    /// The names by which its values may be known.
    pub(crate) values: Vec<String>,
}

/// Explains what stands at the path of the question.
pub(crate) fn explain(subject: &Subject, question: &Question) -> Option<Card> {
    let way: Vec<String> = match (subject.how, question.path.as_slice()) {
        (How::Operations, [_, value, rest @ ..]) if value == "value" => {
            steps(&question.pointer).into_iter().chain(rest.iter().cloned()).collect()
        }
        // The pointer itself stands for what it leads to.
        (How::Operations, [_, path]) if path == "path" => steps(&question.pointer),
        (How::Operations, _) => return None,
        (_, path) => path.to_vec(),
    };
    let types = Types::builtin();
    let spot = find(subject.ty()?, way.iter().map(String::as_str))?;
    let owner = spot.owner?;
    if let Shape::Meta(name) = spot.shape {
        let (title, ty) = (name.to_owned(), "string".to_owned());
        return Some(Card { help: [help_name(owner), title.clone()], title, ty, ..Card::default() });
    }
    let field = spot.field?;
    let ty = match spot.shape {
        Shape::Of(inner) if spot.inside => inner.go_type(types),
        _ => field.go_type(types),
    };
    let title = match way.last() {
        Some(step) if spot.inside && step.parse::<usize>().is_ok() => [&field.name, "[", step, "]"].concat(),
        Some(key) if spot.inside => key.clone(),
        _ => field.name.clone(),
    };
    Some(Card {
        title,
        ty,
        facts: if spot.inside { Vec::new() } else { facts(field) },
        help: [help_name(owner), field.name.clone()],
        values: value_names(&spot),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(path: &str, expected: Option<(&str, &str, &str)>) {
        let subject = Subject::of("POST", "/api/v1/namespaces/a/pods", "application/json", "", "");
        let path = path.split('/').map(str::to_owned).collect();
        let card = explain(&subject, &Question { path, ..Question::default() });
        let card = card.map(|card| (card.title, card.ty, card.help.concat()));
        let expected = expected.map(|(title, ty, help)| {
            (title.to_owned(), ty.to_owned(), ["k8s.io/api/core/v1#", help].concat())
        });
        assert_eq!(card, expected);
    }

    #[test]
    fn says_what_a_field_is() {
        check("spec/restartPolicy", Some(("restartPolicy", "v1.RestartPolicy", "PodSpecrestartPolicy")));
        check("spec/containers", Some(("containers", "[]v1.Container", "PodSpeccontainers")));
        check("spec/containers/0", Some(("containers[0]", "v1.Container", "PodSpeccontainers")));
        check("kind", Some(("kind", "string", "Podkind")));
        check("spec/nothing", None);
    }

    #[test]
    fn a_pointer_stands_for_what_it_leads_to() {
        let path = "/apis/apps/v1/namespaces/a/deployments/b";
        let subject = Subject::of("PATCH", path, "application/json-patch+json", "", "");
        let ask = |path: [&str; 2]| {
            let path = path.map(str::to_owned).to_vec();
            let question = Question { path, pointer: "/spec/replicas".to_owned(), ..Question::default() };
            explain(&subject, &question).map(|card| card.title)
        };
        assert_eq!(ask(["0", "path"]).as_deref(), Some("replicas"));
        assert_eq!(ask(["0", "value"]).as_deref(), Some("replicas"));
        assert_eq!(ask(["0", "op"]), None);
    }
}
