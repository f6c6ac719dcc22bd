//! The parser's errors in the words of go-yaml.
//!
//! libyaml finds some problems in its scanner and some in its parser, at the token where it gives up. The
//! event parser underneath finds a few of them elsewhere: where that shows in the message, the text is
//! looked at once more.

use granit_parser::{ErrorKind, ScanError};

use super::Error;

/// The collection within which an error happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Context {
    Document,
    BlockMap,
    BlockList,
    FlowMap,
    FlowList,
}

pub(super) const NODE_CONTENT: &str = "did not find expected node content";
pub(super) const TOO_DEEP: &str = "exceeded max depth of 10000";
const KEY: &str = "did not find expected key";
const LIST_ENTRY: &str = "did not find expected '-' indicator";
const MAP_END: &str = "did not find expected ',' or '}'";
const LIST_END: &str = "did not find expected ',' or ']'";
const DOCUMENT_START: &str = "did not find expected <document start>";
const NO_TOKEN: &str = "found character that cannot start any token";
const NO_COLON: &str = "could not find expected ':'";
const DOCUMENT_INDICATOR: &str = "found unexpected document indicator";
const BAD_ESCAPE_CODE: &str = "found invalid Unicode character escape code";

/// What go-yaml says of the same text.
pub(super) fn error(text: &str, error: &ScanError, context: Context) -> Error {
    use ErrorKind as K;
    let line = error.marker().line().saturating_sub(1);
    match error.kind() {
        K::UnclosedFlowCollection { open } => unfinished(text, *open),
        K::UnexpectedEof
        | K::UnexpectedEofFlowSequence
        | K::UnexpectedEofFlowMapping
        | K::UnexpectedEofImplicitFlowMapping
        | K::UnexpectedEofBlockSequence
        | K::UnexpectedEofBlockMapping
        | K::ExpectedNodeContent
        | K::MisplacedFlowCollectionEnd
        | K::BlockEntryInFlowCollection => Error::parser(line.min(last_line(text)), NODE_CONTENT),
        K::MismatchedFlowCollectionEnd { open, .. } => Error::parser(line, flow_end(*open)),
        K::ExpectedBlockMappingKey => Error::parser(line, KEY),
        K::ExpectedBlockSequenceEntry => Error::parser(line, LIST_ENTRY),
        K::ExpectedFlowMappingSeparator => Error::parser(line, MAP_END),
        K::ExpectedFlowSequenceSeparator => Error::parser(line, LIST_END),
        K::ExpectedDocumentStart | K::MissingDocumentEndBeforeDirective | K::InvalidDocumentEnd => {
            Error::parser(line, DOCUMENT_START)
        }
        K::InvalidTrailingSingleQuotedScalar
        | K::InvalidTrailingDoubleQuotedScalar
        | K::CommentInterceptedScalar
        | K::UnexpectedEndOfPlainScalar => Error::parser(line, expected_in(context)),
        K::SimpleKeyExpected | K::InvalidSimpleKey => {
            Error::scanner(line_of_next_token(text, line, error.marker().col()), NO_COLON)
        }
        K::DocumentIndicatorInQuotedScalar => {
            Error::scanner(line_of_indicator(text, line), DOCUMENT_INDICATOR)
        }
        K::InvalidQuotedScalarIndent if text.lines().nth(line).is_some_and(is_indicator) => {
            Error::scanner(line, DOCUMENT_INDICATOR)
        }
        // Go takes lines without indentation too, up to a quote or the end.
        K::UnclosedQuotedScalar | K::InvalidQuotedScalarIndent => {
            Error::scanner(text.matches('\n').count(), "found unexpected end of stream")
        }
        K::DuplicateVersionDirective => Error::parser(line, "found duplicate %YAML directive"),
        K::UnsupportedYamlMajorVersion => Error::parser(line, INCOMPATIBLE),
        K::DuplicateTagDirective => Error::parser(line, "found duplicate %TAG directive"),
        K::UndeclaredTagHandle => Error::parser(line, "found undefined tag handle"),
        kind => Error::scanner(line, scanner_problem(kind)),
    }
}

pub(super) const INCOMPATIBLE: &str = "found incompatible YAML document";

fn scanner_problem(kind: &ErrorKind) -> &'static str {
    use ErrorKind as K;
    match kind {
        K::MappingValueNotAllowed
        | K::InvalidColonPlacement
        | K::InvalidMappingValueWhitespace
        | K::FlowMappingValueAdjacentCollection => "mapping values are not allowed in this context",
        K::MappingKeyNotAllowed => "mapping keys are not allowed in this context",
        K::BlockSequenceEntryNotAllowed | K::InvalidBlockEntryWhitespace => {
            "block sequence entries are not allowed in this context"
        }
        K::UnknownQuotedScalarEscape => "found unknown escape character",
        K::InvalidQuotedScalarHexEscape | K::InvalidLowSurrogateHexEscape => {
            // Spelled as libyaml spells it.
            "did not find expected hexdecimal number"
        }
        K::InvalidUnicodeEscape
        | K::InvalidLowSurrogate
        | K::MissingLowSurrogate
        | K::UnpairedLowSurrogate => BAD_ESCAPE_CODE,
        K::MissingAnchorOrAliasName => "did not find expected alphabetic or numeric character",
        K::InvalidTagTerminator | K::InvalidTagDirectiveTerminator => {
            "did not find expected whitespace or line break"
        }
        K::MissingTagUri | K::InvalidGlobalTagCharacter => "did not find expected tag URI",
        K::ExpectedTagBang | K::ExpectedTagDirectiveBang => "did not find expected '!'",
        K::UnclosedVerbatimTag => "did not find the expected '>'",
        K::ZeroBlockScalarIndent => "found an indentation indicator equal to 0",
        K::InvalidBlockScalarHeader | K::InvalidDirectiveTerminator | K::CommentNotSeparated => {
            "did not find expected comment or line break"
        }
        K::TabAtBlockScalarStart => "found a tab character where an indentation space is expected",
        K::TabInPlainScalar => "found a tab character that violates indentation",
        K::MissingDirectiveName => "could not find expected directive name",
        K::InvalidDirectiveName => "found unexpected non-alphabetical character",
        K::MissingYamlVersion => "did not find expected version number",
        K::MissingYamlVersionSeparator => "did not find expected digit or '.' character",
        K::YamlVersionTooLong => "found extremely long version number",
        K::RecursionLimitExceeded => TOO_DEEP,
        K::UnexpectedCharacter { .. }
        | K::TabNotAllowed
        | K::TabInBlockIndentation
        | K::TabInIndentation
        | K::BomInsideDocument => NO_TOKEN,
        _ => "unknown problem parsing YAML content",
    }
}

fn expected_in(context: Context) -> &'static str {
    match context {
        Context::Document => DOCUMENT_START,
        Context::BlockMap => KEY,
        Context::BlockList => LIST_ENTRY,
        Context::FlowMap => MAP_END,
        Context::FlowList => LIST_END,
    }
}

fn flow_end(open: char) -> &'static str {
    if open == '{' { MAP_END } else { LIST_END }
}

/// The document ends within `{` or `[`: after a value Go misses the end, after anything else the value.
fn unfinished(text: &str, open: char) -> Error {
    let last = text.lines().rev().find_map(|line| {
        let code = line.split_once(" #").map_or(line, |(code, _)| code).trim_end();
        code.chars().next_back().filter(|_| !code.trim_start().starts_with('#'))
    });
    match last {
        Some('{' | '[' | ',' | ':' | '?') => Error::parser(last_line(text), NODE_CONTENT),
        _ => Error::parser(last_line(text), flow_end(open)),
    }
}

/// The line on which libyaml has the end of the stream: it ends a last line that does not end itself.
fn last_line(text: &str) -> usize {
    text.lines().count()
}

/// The line of the first token after a plain scalar that began on `line`, or of the end.
fn line_of_next_token(text: &str, line: usize, column: usize) -> usize {
    let mut later = text.lines().enumerate().skip(line + 1);
    let next = later.find(|(_, content)| {
        let indent = content.len() - content.trim_start_matches(' ').len();
        let content = content.trim();
        indent <= column && !content.is_empty() && !content.starts_with('#')
    });
    next.map_or_else(|| last_line(text), |(line, _)| line)
}

fn is_indicator(line: &str) -> bool {
    line.starts_with("---") || line.starts_with("...")
}

fn line_of_indicator(text: &str, line: usize) -> usize {
    let found = text.lines().enumerate().skip(line + 1).find(|(_, content)| is_indicator(content));
    found.map_or(line, |(line, _)| line)
}

/// What go-yaml refuses in the source of a double-quoted scalar, which began on `line`: it knows no `\/`, and
/// no surrogates.
pub(super) fn check_escapes(source: &str, line: usize) -> Result<(), Error> {
    let mut rest = source;
    while let Some(at) = rest.find('\\') {
        let escape = &rest[at + 1..];
        let problem = match escape.as_bytes() {
            [b'/', ..] => "found unknown escape character",
            [b'u', b'd' | b'D', b'8'..=b'9' | b'a'..=b'f' | b'A'..=b'F', ..] => BAD_ESCAPE_CODE,
            _ => {
                let skipped = escape.chars().next().map_or(0, char::len_utf8);
                rest = &escape[skipped..];
                continue;
            }
        };
        let before = &source[..source.len() - escape.len()];
        return Err(Error::scanner(line + before.matches('\n').count(), problem));
    }
    Ok(())
}
