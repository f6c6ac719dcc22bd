//! Questions about documents: bodies and events in the media types of Kubernetes, for whoever has not the code that
//! reads and writes them, and expressions of CEL. They concern no cluster, but for the one about controllers.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// A question about the document that is the payload of its message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Question {
    /// The document as JSON. Answered by [`Answer::Document`].
    ToJson {
        /// The media type of the document.
        content_type: String,
    },
    /// An event of a watch as a line of JSON. Answered by [`Answer::Document`].
    EventToJson {
        /// The media type of the watch.
        content_type: String,
    },
    /// A body that was typed as JSON or YAML (or, for what cannot be typed, as hexadecimal digits) in another media type.
    /// Answered by [`Answer::Document`].
    Encode {
        /// The media type.
        content_type: String,
    },
    /// The meaning of each range of bytes of a body, or of events of a watch. Answered by [`Answer::Explained`].
    Explain {
        /// The media type of the document.
        content_type: String,
    },
    /// A response in JSON in the other forms that the request could have asked for. Answered by [`Answer::Forms`].
    Represent {
        /// The forms.
        forms: Vec<FormRequest>,
        /// The time by which things in tables have an age, since the Unix epoch.
        now: Duration,
    },
    /// A line of a watch in JSON as the watch that was opened like this has it. Answered by [`Answer::Document`]; it is
    /// empty if there is no such watch.
    RepresentEvent(FormRequest),
    /// An expression of CEL that is true or false. The document is an object of JSON, whose fields are the variables, each of
    /// the type `dyn`. Answered by [`Answer::Document`], which is `true` or `false`; by [`Error::Compilation`] and
    /// [`Error::Evaluation`] if it is neither.
    ///
    /// [`Error::Compilation`]: crate::message::Error::Compilation
    /// [`Error::Evaluation`]: crate::message::Error::Evaluation
    Evaluate {
        /// The expression.
        expression: String,
    },
    /// A question about the controllers of the first cluster, as [`controllers::Ask`](crate::controllers::Ask) in JSON. Answered by
    /// [`Answer::Document`], which is a [`controllers::State`](crate::controllers::State) in JSON, or empty where nobody has loaded
    /// their code.
    Controllers {
        /// `true`: their code is loaded, if it is not there. To start some takes that.
        load: bool,
    },
}

/// A request for a form of a response.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FormRequest {
    /// Path and query of the request.
    pub uri: String,
    /// The value of `Accept`.
    pub accept: String,
}

/// The answer to a [`Question`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Answer {
    /// A document, which is the payload of the message.
    Document,
    /// The ranges of a document, each with those that are in it behind it.
    Explained(Vec<Range>),
    /// The forms that were asked for; `None` where there is no such form. The payload is one after the other.
    Forms(Vec<Option<Form>>),
}

/// A range of bytes and its meaning.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Range {
    /// The first byte.
    pub start: usize,
    /// One behind the last.
    pub end: usize,
    /// The number of ranges around it.
    pub depth: usize,
    /// The sort of the range; a `field` has others inside.
    pub kind: String,
    /// A JSON pointer to what it belongs to.
    pub path: String,
    /// The meaning, in a sentence.
    pub what: String,
    /// A field's name, and its value if it is one.
    pub label: String,
}

/// A form of a response.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Form {
    /// The size in bytes.
    pub size: usize,
    /// The time that it takes to make, where the host can measure that.
    pub took: Duration,
}
