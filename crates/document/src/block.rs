//! The blocks of a document: what each is, by what is written in it.

use crate::command::{self, Source};
use crate::http::{self, Documented, Exchange};
use crate::names;

/// A block of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// The text as it is written.
    pub text: String,
    /// The line of the document in which it begins, from 1.
    pub line: usize,
    /// The language that it is marked with; may be empty.
    pub language: String,
    /// The part that it has in a lesson.
    pub role: Role,
    /// The heading that it stands under.
    pub heading: Heading,
    /// The sort of it.
    pub content: Content,
}

/// A heading, and with it a section of a document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Heading {
    /// The number of the heading, from 1; 0 for what stands before the first one.
    pub number: usize,
    /// The level, from 1; 0 for what stands before the first heading.
    pub depth: u8,
    /// The id of its element in the page's HTML; may be empty.
    pub id: String,
    /// The text; may be empty.
    pub text: String,
}

/// The part that a block which can run has in a lesson. Outside of lessons all are examples.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Role {
    /// An example, which is shown and run.
    #[default]
    Example,
    /// The solution of a step, or a part of it.
    Solution,
    /// An attempt that the check of a step has to refuse.
    Wrong,
}

impl Role {
    /// Returns the role that a word of a fence's info string names.
    fn of(word: &str) -> Self {
        match word {
            "solution" => Self::Solution,
            "wrong" => Self::Wrong,
            _ => Self::Example,
        }
    }

    /// Returns whether commands of this role may read a manifest of another one as a file.
    pub(crate) fn may_read(self, manifest: Self) -> bool {
        manifest == Self::Example || manifest == self
    }
}

/// The content of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// Requests, perhaps with their responses.
    Http(Vec<Exchange>),
    /// Lines of a shell, and what they print, if that is written.
    Shell(String, Option<Documented>),
    /// Objects to apply.
    Manifest,
    /// A response alone: that of the block before.
    Response(Documented),
    /// A text that does not run, and the reason if it looks as if it did.
    Text(Option<NotRun>),
    /// A question of a lesson: see [`Question`](crate::lesson::Question).
    Question,
    /// A hint of a step of a lesson, as plain text.
    Hint,
    /// The check of a step of a lesson: see [`Check`](crate::lesson::Check).
    Check,
}

/// A reason why a block does not run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotRun {
    /// An excerpt of an object.
    Excerpt,
    /// An object as a server returns it.
    Returned,
    /// The body of a request to a subresource.
    Body,
    /// The file that the command behind it reads.
    File(String),
    /// A path with a part that stands for something else.
    Placeholder(String),
    /// Another reason, in words.
    Other(String),
}

impl Block {
    /// Makes a block of a text, whatever its language is.
    pub fn new(text: &str, line: usize, language: &str, heading: &Heading) -> Self {
        Self {
            text: text.to_owned(),
            line,
            language: language.to_owned(),
            role: Role::Example,
            heading: heading.clone(),
            content: content(text),
        }
    }

    /// Makes a block of a lesson, in which the language and the word behind it say what a block is for.
    pub fn of_lesson(text: &str, line: usize, info: &str, heading: &Heading) -> Self {
        let mut words = words(info);
        let language = words.next().unwrap_or_default();
        let block = Self {
            role: Role::of(words.find(|word| !word.is_empty()).unwrap_or_default()),
            ..Self::new(text, line, language, heading)
        };
        let content = match language {
            "question" => Content::Question,
            "hint" => Content::Hint,
            "check" => Content::Check,
            _ => return block,
        };
        Self { role: Role::Example, content, ..block }
    }

    /// Returns whether it is an example that can be run.
    pub fn runs(&self) -> bool {
        self.role == Role::Example && self.can_run()
    }

    /// Returns whether it can be run, be it as an example, a solution or a wrong attempt.
    pub fn can_run(&self) -> bool {
        matches!(self.content, Content::Http(_) | Content::Shell(..) | Content::Manifest)
    }

    /// Returns whether a response is still to be documented.
    fn is_open(&self) -> bool {
        match &self.content {
            _ if self.role != Role::Example => false,
            Content::Http(exchanges) => exchanges.last().is_some_and(|last| last.documented.is_none()),
            Content::Shell(_, output) => output.is_none(),
            _ => false,
        }
    }

    /// Returns whether it may be what comes of a request: an object or a list, or other JSON.
    fn shows_answer(&self) -> bool {
        self.content != Content::Text(None) || self.text.trim_start().starts_with('{')
    }

    /// Returns whether it is written in YAML or JSON, be it a part of an object.
    pub(crate) fn is_data(&self) -> bool {
        let language = matches!(&*self.language.to_ascii_lowercase(), "yaml" | "yml" | "json");
        let object =
            matches!(self.content, Content::Manifest | Content::Text(Some(NotRun::Body | NotRun::File(_))));
        object || language && self.content == Content::Text(None)
    }

    fn document(&mut self, documented: Documented) {
        match &mut self.content {
            Content::Http(exchanges) => {
                if let Some(last) = exchanges.last_mut() {
                    last.documented = Some(documented);
                }
            }
            Content::Shell(_, output) => *output = Some(documented),
            _ => {}
        }
    }

    /// Returns whether it is written in JSON, be it whole or not.
    fn is_json(&self) -> bool {
        self.text.trim_start().starts_with('{')
    }

    /// Returns whether it reads: what stands behind it, in JSON or in YAML, may be what comes. A watch brings no YAML, and a
    /// command does where it is asked for that.
    fn reads(&self, json: bool) -> bool {
        match &self.content {
            Content::Http(exchanges) => exchanges
                .last()
                .is_some_and(|last| last.method == "GET" && (json || !last.target.contains("watch="))),
            Content::Shell(lines, _) => {
                let last = lines.lines().last().unwrap_or_default();
                let asked = |word: &str| json || last.contains(word);
                let curl = last.contains("curl") && !last.contains("-X P") && asked("yaml");
                curl || last.contains("kubectl get") && asked("-o") && !last.contains("apply")
            }
            _ => false,
        }
    }
}

/// Returns the words of a fence's info string. The first one is the language.
pub(crate) fn words(info: &str) -> impl Iterator<Item = &str> {
    info.split([' ', ',', '{'])
}

/// The most blocks of a page that is no Markdown: those behind them are left out.
const MOST: usize = 2_000;
/// The longest text of one, in bytes.
const LARGEST: usize = 1 << 20;

/// A block of a page that is no Markdown.
#[derive(Clone, Copy, Debug, Default)]
pub struct Written<'t> {
    /// The text.
    pub text: &'t str,
    /// The language that it is marked with; may be empty.
    pub language: &'t str,
    /// The heading that it stands under; may be empty.
    pub heading: &'t str,
    /// True if the page says that it is to be run: then it is no response to the one before.
    pub runs: bool,
    /// True if all of it is in its text: no block behind it is its response.
    pub is_whole: bool,
}

/// Makes the blocks of a page that is no Markdown, in order. Their lines are their numbers, from 1. What is too long is empty.
pub fn of_page<'t>(written: impl IntoIterator<Item = Written<'t>>) -> Vec<Block> {
    let mut heading = Heading::default();
    let (mut blocks, mut pairs) = (Vec::<Block>::new(), Vec::<(bool, bool)>::new());
    for Written { text, language, heading: under, runs, is_whole } in written.into_iter().take(MOST) {
        let text = if text.len() > LARGEST { "" } else { text };
        if heading.text != under {
            let number = heading.number + 1;
            heading = Heading { number, depth: 2, id: String::new(), text: under.to_owned() };
        }
        blocks.push(Block::new(text, blocks.len() + 1, language, &heading));
        pairs.push((runs, is_whole));
    }
    for at in 1..blocks.len() {
        if let (Some((_, false)), Some((false, _))) = (pairs.get(at - 1), pairs.get(at)) {
            pair_at(&mut blocks, at);
        }
    }
    blocks
}

/// Gives each response to the block that it is of: one that stands alone, and an object or a list behind a block that reads.
pub(crate) fn pair(blocks: &mut [Block]) {
    (1..blocks.len()).for_each(|at| pair_at(blocks, at));
}

/// Gives a block to the one before it, if it is its response.
fn pair_at(blocks: &mut [Block], at: usize) {
    let Some((before, rest)) = blocks.split_at_mut_checked(at) else { return };
    let (Some(last), Some(block)) = (before.last_mut(), rest.first_mut()) else { return };
    if !last.is_open() || block.role != Role::Example {
        return;
    }
    match &block.content {
        Content::Response(documented) => last.document(documented.clone()),
        Content::Manifest | Content::Text(Some(NotRun::Excerpt | NotRun::Returned) | None)
            if block.shows_answer() && last.reads(block.is_json()) && last.heading == block.heading =>
        {
            let documented =
                Documented { body: http::dedent(&block.text).join("\n"), ..Documented::default() };
            last.document(documented.clone());
            block.content = Content::Response(documented);
        }
        _ => {}
    }
}

/// Looks closer at the lines of a shell: those that cannot run are text, and a manifest before a command that reads a file is that
/// file.
pub(crate) fn refine(blocks: &mut [Block]) {
    for block in blocks.iter_mut() {
        let Content::Shell(lines, _) = &block.content else { continue };
        if let Err(why) = command::read(lines) {
            block.content = Content::Text(Some(NotRun::Other(why)));
        }
    }
    for at in 1..blocks.len() {
        let (before, rest) = blocks.split_at_mut(at);
        let (Some(last), Some(block)) = (before.last_mut(), rest.first()) else { continue };
        if let (Content::Manifest, Content::Shell(lines, _)) = (&last.content, &block.content)
            && block.role.may_read(last.role)
            && let Some(file) = file(lines)
        {
            last.content = Content::Text(Some(NotRun::File(file)));
        }
    }
}

/// Returns the file that the first command reads, if it reads one.
fn file(lines: &str) -> Option<String> {
    let lines = command::read(lines).ok()?;
    lines.first()?.manifests().iter().find_map(|source| match source {
        Source::File(file) => Some(file.clone()),
        Source::Inline(_) => None,
    })
}

/// The kinds that are no objects of their own: they are sent to a subresource of one, or with a deletion.
const BODIES: [&str; 5] = ["Eviction", "TokenRequest", "Binding\"", "DeleteOptions", "Scale\""];

fn content(text: &str) -> Content {
    if let Some(exchanges) = http::read(text) {
        return match exchanges.iter().find_map(|exchange| placeholder(&exchange.target)) {
            Some(word) => Content::Text(Some(NotRun::Placeholder(word))),
            None => Content::Http(exchanges),
        };
    }
    if let Some(documented) = http::response(text) {
        return Content::Response(documented);
    }
    let (lines, output) = shell(text);
    if command::is_shell(&lines) {
        let synopsis =
            lines.split_whitespace().find(|word| word.starts_with("[-") || word.starts_with("[(-"));
        if let Some(word) = synopsis {
            return Content::Text(Some(NotRun::Placeholder(word.to_owned())));
        }
        return Content::Shell(lines, output);
    }
    if !is_object(text) {
        return Content::Text(None);
    }
    if BODIES.iter().any(|kind| text.lines().any(|line| line.contains("kind") && line.contains(kind))) {
        return Content::Text(Some(NotRun::Body));
    }
    let excerpt = text.lines().any(|line| matches!(line.trim(), "..." | "…") || line.contains(": nil"));
    let returned =
        ["managedFields", "creationTimestamp:", "\"creationTimestamp\"", "uid:", "\"uid\"", "List\""];
    let is_list = text.lines().any(|line| line.trim_end().ends_with("List") && line.contains("kind"));
    if excerpt {
        Content::Text(Some(NotRun::Excerpt))
    } else if is_list || returned.iter().any(|field| text.contains(field)) {
        Content::Text(Some(NotRun::Returned))
    } else {
        Content::Manifest
    }
}

/// Returns whether a text is an object: it has an `apiVersion` and a `kind` of its own.
fn is_object(text: &str) -> bool {
    let lines = http::dedent(text);
    let json = text.trim_start().starts_with('{');
    let has = |name: &str| {
        let quoted = ["\"", name, "\""].concat();
        let plain = [name, ":"].concat();
        lines.iter().any(|line| if json { line.contains(&quoted) } else { line.starts_with(&plain) })
    };
    has("apiVersion") && has("kind")
}

/// Returns the part of a target that stands for something else, if one does: `GROUP`, `{name}`, `<namespace>`.
fn placeholder(target: &str) -> Option<String> {
    let path = target.split('?').next().unwrap_or_default();
    let stands = |part: &&str| {
        let part = *part;
        let capitals = part.len() > 1 && part.bytes().all(|b| b.is_ascii_uppercase() || b == b'_');
        capitals && !names::is_placeholder(part)
            || part.starts_with(['{', '<', '$', ':', '*'])
            || part == "..."
    };
    path.split('/').find(stands).map(str::to_owned)
}

/// Cuts a block of a shell into its lines and what they print. Where some lines have a prompt, the others are output.
fn shell(text: &str) -> (String, Option<Documented>) {
    let lines = http::dedent(text);
    if !lines.iter().any(|line| line.starts_with("$ ")) {
        return (lines.join("\n"), None);
    }
    let (mut commands, mut output, mut goes_on, mut until) = (Vec::new(), Vec::new(), false, None::<String>);
    for line in lines {
        let begins = line.strip_prefix("$ ");
        if begins.is_some() || goes_on || until.is_some() {
            let line = begins.unwrap_or(line);
            if until.as_deref() == Some(line.trim()) {
                until = None;
            } else if let Some((_, word)) = line.split_once("<<") {
                let word = word.trim_start_matches('-').split_whitespace().next().unwrap_or_default();
                until = Some(word.trim_matches(['"', '\'']).to_owned());
            }
            goes_on = line.ends_with('\\');
            commands.push(line);
        } else {
            output.push(line);
        }
    }
    let output = output.join("\n").trim_matches('\n').trim_end().to_owned();
    let documented = http::verbose(&output).unwrap_or(Documented { body: output, ..Documented::default() });
    (commands.join("\n"), (!documented.body.is_empty()).then_some(documented))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let name = match content(text) {
            Content::Http(exchanges) => format!("{} requests", exchanges.len()),
            Content::Shell(lines, output) => format!("{lines:?} {}", output.is_some()),
            Content::Manifest => "manifest".to_owned(),
            Content::Response(documented) => format!("response {:?}", documented.status),
            Content::Text(why) => format!("text {why:?}"),
            other => format!("{other:?}"),
        };
        assert_eq!(name, expected, "{text}");
    }

    #[test]
    fn a_block_is_what_is_written_in_it() {
        check("GET /api/v1/pods", "1 requests");
        check("200 OK\nContent-Type: application/json\n\n{}", "response Some(200)");
        check("apiVersion: v1\nkind: ConfigMap\n", "manifest");
        check("{\"apiVersion\": \"v1\", \"kind\": \"Pod\"}", "manifest");
        check("rules:\n- apiGroups: [\"apps\"]", "text None");
        check("apiVersion: v1\nkind: Pod\n...\n", "text Some(Excerpt)");
        check("apiVersion: v1\nkind: List\nitems: []", "text Some(Returned)");
        check("GET /apis/GROUP/VERSION/RESOURCETYPE", "text Some(Placeholder(\"GROUP\"))");
        check("GET /api/v1/namespaces/{namespace}/pods", "text Some(Placeholder(\"{namespace}\"))");
        check("func main() {}", "text None");
        check("", "text None");
    }

    #[test]
    fn responses_belong_to_the_request_before() {
        let mut blocks =
            ["GET /api/v1/services", "{\"kind\": \"ServiceList\", \"apiVersion\": \"v1\",\n...", "200 OK\n"]
                .map(|text| Block::new(text, 1, "", &Heading::default()));
        pair(&mut blocks);
        let Content::Http(exchanges) = &blocks[0].content else { panic!("it is a request") };
        assert!(
            exchanges[0]
                .documented
                .as_ref()
                .is_some_and(|documented| documented.body.contains("ServiceList"))
        );
        assert!(matches!(blocks[1].content, Content::Response(_)));
    }

    #[test]
    fn a_page_says_what_is_no_response() {
        const OBJECT: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}";
        let written = |text, heading| Written { text, heading, ..Written::default() };
        let check = |before: Written<'static>, behind: Written<'static>, expected: bool| {
            let blocks = of_page([before, behind]);
            let is_response = matches!(blocks[1].content, Content::Response(_));
            assert_eq!(is_response, expected, "{before:?} {behind:?}");
        };
        let get = written("kubectl get configmap a -o yaml", "A");
        check(get, written(OBJECT, "A"), true);
        check(get, written(OBJECT, "B"), false);
        check(get, Written { runs: true, ..written(OBJECT, "A") }, false);
        check(Written { is_whole: true, ..get }, written(OBJECT, "A"), false);
        check(written("kubectl get configmaps", "A"), written(OBJECT, "A"), false);
        check(written("GET /api/v1/configmaps", "A"), written(OBJECT, "A"), true);
        check(written("GET /api/v1/configmaps?watch=1", "A"), written(OBJECT, "A"), false);
        check(written("GET /api/v1/configmaps?watch=1", "A"), written("{\"type\": \"ADDED\"}", "A"), true);
    }

    #[test]
    fn other_json_behind_a_command_that_reads_is_its_output() {
        let mut blocks = [
            "curl http://localhost:8001/api/",
            "{\"kind\": \"APIVersions\", \"versions\": [\"v1\"]}",
            "func main() {}",
        ]
        .map(|text| Block::new(text, 1, "json", &Heading::default()));
        pair(&mut blocks);
        assert!(
            matches!(&blocks[0].content, Content::Shell(_, Some(told)) if told.body.contains("APIVersions"))
        );
        assert_eq!(blocks[2].content, Content::Text(None));
    }
}
