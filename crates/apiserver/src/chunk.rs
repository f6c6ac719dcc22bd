//! Parts of the code that a host may load when they are first needed, and where their functions are put then: see
//! [`code`](crate::code), which names them all.

use std::sync::OnceLock;

/// A part of the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chunk {
    /// YAML, Protobuf and CBOR, and strategic merge patches.
    MediaTypes,
    /// Tables, as `kubectl get` shows them.
    Tables,
    /// Discovery, and what else the server tells of itself.
    Discovery,
    /// The documents of OpenAPI.
    OpenApi,
    /// The handlers of writes and of what is no object, reading JSON, following definitions, and the validation of what is
    /// written most often.
    Writes,
    /// The validation of pods and of what has a template of pods.
    Workloads,
    /// The validation of the other built-in kinds that need no CEL.
    Validation,
    /// The validation of custom resources and of kinds with expressions in them, and admission policies, and expressions
    /// that stand alone: all that has to do with CEL.
    Expressions,
    /// Calls of webhooks: those of admission, and those that convert custom objects.
    Webhooks,
    /// Documents for people to look at, see [`documents`](crate::documents).
    Documents,
}

impl Chunk {
    /// All of them, in the order in which somebody is most likely to need them.
    pub const ALL: [Self; 10] = [
        Self::Writes,
        Self::Workloads,
        Self::Validation,
        Self::Expressions,
        Self::MediaTypes,
        Self::Tables,
        Self::Discovery,
        Self::Documents,
        Self::Webhooks,
        Self::OpenApi,
    ];

    /// Returns its name for people.
    pub fn name(self) -> &'static str {
        match self {
            Self::MediaTypes => "media types",
            Self::Tables => "tables",
            Self::Discovery => "discovery",
            Self::OpenApi => "OpenAPI",
            Self::Writes => "writes",
            Self::Workloads => "workloads",
            Self::Validation => "validation",
            Self::Expressions => "expressions",
            Self::Webhooks => "webhooks",
            Self::Documents => "documents",
        }
    }
}

/// Code of a chunk: nothing until its functions are put here, which the chunk itself does.
pub(crate) struct Late<T> {
    chunk: Chunk,
    code: OnceLock<T>,
}

impl<T> Late<T> {
    pub(crate) const fn new(chunk: Chunk) -> Self {
        Self { chunk, code: OnceLock::new() }
    }

    /// Puts the code here, unless it is here already.
    pub(crate) fn provide(&self, code: impl FnOnce() -> T) {
        self.code.get_or_init(code);
    }

    /// Returns the code.
    ///
    /// # Errors
    /// The chunk is not loaded.
    pub(crate) fn get(&self) -> Result<&T, String> {
        self.code.get().ok_or_else(|| not_loaded(self.chunk))
    }

    /// Reports whether the code is there.
    pub(crate) fn is_there(&self) -> bool {
        self.code.get().is_some()
    }
}

/// Keeps the address of a function in the code that provides it: in a table of constants it would be data, which belongs
/// to no chunk, and would lead to the function from everywhere.
pub(crate) fn address<F: Copy>(function: F) -> F {
    std::hint::black_box(function)
}

/// Returns the error of what is reached without its code. A host that asks before never sees it.
pub(crate) fn not_loaded(chunk: Chunk) -> String {
    ["a part of the API server is not loaded: ", chunk.name()].concat()
}
