//! Pages of Markdown: their HTML, which is safe whatever is written in them, and their blocks.

use pulldown_cmark::{CodeBlockKind, CowStr, Event, HeadingLevel, LinkType, Options, Parser, Tag, TagEnd};

use crate::block::{self, Block, Content, Heading};
use crate::{html, lesson, plain, shortcode};

/// The largest text that is read, in bytes.
pub const LARGEST: usize = 4 << 20;

/// The most blocks that can be run: what is behind them is text.
const MOST: usize = 2_000;

/// The deepest that lists and quotations are in each other.
const DEEPEST: usize = 30;

/// A page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Page {
    /// The title; empty if there is none.
    pub title: String,
    /// The YAML at the beginning, between lines of `---`; may be empty.
    pub front_matter: String,
    /// The HTML. Where a block belongs that runs, there is `<div data-block="N"></div>`.
    pub html: String,
    /// The blocks.
    pub blocks: Vec<Block>,
    /// The headings of the second and third level: depth, id and text.
    pub headings: Vec<(u8, String, String)>,
}

/// Reads a page. `name` is that of its file: what ends in `.txt` is no Markdown.
///
/// # Errors
/// It is larger than [`LARGEST`].
pub fn read(text: &str, name: &str) -> Result<Page, TooLarge> {
    if text.len() > LARGEST {
        return Err(TooLarge);
    }
    let text = text.strip_prefix('\u{feff}').unwrap_or(text).replace("\r\n", "\n");
    let (front_matter, lines, body) = front_matter(&text);
    let fenced;
    let (body, numbers) = if plain::is_plain(body, name) {
        fenced = plain::fence(body);
        (&*fenced.0, Some(&*fenced.1))
    } else {
        (body, None)
    };
    let body = shortcode::resolve(body);
    let mut page =
        Page { title: title_of(front_matter), front_matter: front_matter.to_owned(), ..Page::default() };
    let reader = Reader {
        page: &mut page,
        body: &body,
        lines,
        numbers,
        is_lesson: lesson::is_in(front_matter),
        heading: Heading::default(),
        used: Vec::new(),
    };
    reader.all();
    block::pair(&mut page.blocks);
    Ok(page)
}

/// A text is too large to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLarge;

/// Cuts off what stands between lines of `---` at the beginning, and counts its lines.
fn front_matter(text: &str) -> (&str, usize, &str) {
    let end = text.strip_prefix("---\n").and_then(|rest| rest.find("\n---\n").map(|end| (rest, end)));
    match end {
        Some((rest, end)) => {
            let (front, body) =
                (rest.get(..=end).unwrap_or_default(), rest.get(end + 5..).unwrap_or_default());
            (front, front.lines().count() + 2, body)
        }
        None => ("", 0, text),
    }
}

fn title_of(front_matter: &str) -> String {
    let line = front_matter.lines().find_map(|line| line.strip_prefix("title:"));
    line.unwrap_or_default().trim().trim_matches(['"', '\'']).to_owned()
}

struct Reader<'p> {
    page: &'p mut Page,
    body: &'p str,
    /// The number of lines before the body.
    lines: usize,
    /// The number of each line in the text, where that is another one.
    numbers: Option<&'p [usize]>,
    /// True if blocks are read as those of a lesson.
    is_lesson: bool,
    /// The last heading.
    heading: Heading,
    /// The ids that are given.
    used: Vec<String>,
}

impl Reader<'_> {
    fn all(mut self) {
        let options =
            Options::ENABLE_TABLES | Options::ENABLE_HEADING_ATTRIBUTES | Options::ENABLE_STRIKETHROUGH;
        let (body, mut depth, mut skipped) = (self.body, 0_usize, 0_usize);
        let mut events = Parser::new_ext(body, options).into_offset_iter();
        let mut out: Vec<Event<'_>> = Vec::new();
        let mut dropped_links: Vec<bool> = Vec::new();
        while let Some((event, place)) = events.next() {
            match event {
                Event::Start(Tag::CodeBlock(kind)) => {
                    let text = text_until(TagEnd::CodeBlock, &mut events);
                    let line = self.line(place.start);
                    out.push(Event::Html(self.block(&text, line, &kind).into()));
                }
                Event::Start(Tag::Heading { level, id, .. }) => {
                    let inside = events.by_ref().map(|(event, _)| event);
                    let inside = inside.take_while(|event| !matches!(event, Event::End(TagEnd::Heading(_))));
                    let text: String = inside.filter_map(|event| text_of(&event)).collect();
                    let heading = self.heading(level, id.as_deref().unwrap_or_default(), &text);
                    out.push(Event::Html(heading.into()));
                }
                Event::Start(Tag::MetadataBlock(_)) | Event::End(TagEnd::MetadataBlock(_)) => {}
                Event::InlineHtml(raw) => {
                    let is_break = raw.trim_end_matches(['/', '>', ' ']).eq_ignore_ascii_case("<br");
                    out.extend(is_break.then_some(Event::HardBreak));
                }
                Event::Start(Tag::HtmlBlock) => {
                    let raw = text_until(TagEnd::HtmlBlock, &mut events);
                    out.extend(told(&raw));
                }
                Event::Html(_) | Event::End(TagEnd::HtmlBlock) => {}
                Event::Start(Tag::Link { link_type, dest_url, .. }) => {
                    let safe = safe(&dest_url);
                    dropped_links.push(!safe);
                    if safe {
                        out.push(Event::Start(link(link_type, dest_url)));
                    }
                }
                Event::End(TagEnd::Link) => {
                    if dropped_links.pop() == Some(false) {
                        out.push(Event::End(TagEnd::Link));
                    }
                }
                // A picture may be anybody's: it is told of, and not fetched.
                Event::Start(Tag::Image { .. }) | Event::End(TagEnd::Image) => {}
                Event::Start(tag) => {
                    depth += 1;
                    let deep =
                        depth > DEEPEST && matches!(tag, Tag::BlockQuote(_) | Tag::List(_) | Tag::Item);
                    if skipped > 0 || deep {
                        skipped += 1;
                    } else {
                        out.push(Event::Start(tag));
                    }
                }
                Event::End(tag) => {
                    depth = depth.saturating_sub(1);
                    if skipped > 0 {
                        skipped -= 1;
                    } else {
                        out.push(Event::End(tag));
                    }
                }
                other => out.push(other),
            }
        }
        self.page.html = html::write(out.into_iter());
    }

    /// Returns the number of the text's line that has this byte of the body.
    fn line(&self, at: usize) -> usize {
        let before = self.body.get(..at).unwrap_or_default();
        let line = before.matches('\n').count();
        let line = self.numbers.and_then(|numbers| numbers.get(line).copied()).unwrap_or(line);
        self.lines + line + 1
    }

    /// Takes a heading, and returns its HTML.
    fn heading(&mut self, level: HeadingLevel, id: &str, text: &str) -> String {
        let id = self.id(id, text);
        if self.page.title.is_empty() {
            text.clone_into(&mut self.page.title);
        }
        let depth = level as u8;
        if matches!(level, HeadingLevel::H2 | HeadingLevel::H3) {
            self.page.headings.push((depth, id.clone(), text.to_owned()));
        }
        let number = self.heading.number + 1;
        self.heading = Heading { number, depth, id: id.clone(), text: text.to_owned() };
        // The page around it has a first heading of its own.
        let depth = depth.max(2);
        format!("<h{depth} id=\"{}\">{}</h{depth}>", escaped(&id), escaped(text))
    }

    /// Takes a block, and returns its HTML.
    fn block(&mut self, text: &str, line: usize, kind: &CodeBlockKind<'_>) -> String {
        let info = match kind {
            CodeBlockKind::Fenced(info) => &**info,
            CodeBlockKind::Indented => "",
        };
        let block = if self.is_lesson {
            Block::of_lesson(text, line, info, &self.heading)
        } else {
            let language = block::words(info).next().unwrap_or_default();
            Block::new(text, line, language, &self.heading)
        };
        let number = self.page.blocks.len();
        if number >= MOST {
            return format!("<pre><code>{}</code></pre>\n", escaped(text));
        }
        let is_text = matches!(block.content, Content::Text(None));
        self.page.blocks.push(block);
        if is_text {
            format!("<pre><code>{}</code></pre>\n", escaped(text))
        } else {
            format!("<div data-block=\"{number}\"></div>\n")
        }
    }

    /// Returns an id that no other heading has.
    fn id(&mut self, given: &str, text: &str) -> String {
        let word = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
        let own: String = match given {
            "" => text.chars().map(|c| if word(c) { c.to_ascii_lowercase() } else { '-' }).collect(),
            given => given.chars().filter(|c| word(*c)).collect(),
        };
        let own = own.trim_matches('-').to_owned();
        let mut id = own.clone();
        let mut number = 1;
        while self.used.contains(&id) {
            number += 1;
            id = format!("{own}-{number}");
        }
        self.used.push(id.clone());
        id
    }
}

fn link<'a>(link_type: LinkType, dest_url: CowStr<'a>) -> Tag<'a> {
    Tag::Link { link_type, dest_url, title: CowStr::Borrowed(""), id: CowStr::Borrowed("") }
}

/// Returns the text up to this end, without what else stands in it.
fn text_until<'e, P>(end: TagEnd, events: &mut impl Iterator<Item = (Event<'e>, P)>) -> String {
    let inside = events.map(|(event, _)| event).take_while(|event| *event != Event::End(end));
    let mut text = String::new();
    for event in inside {
        if let Event::Html(part) | Event::Text(part) = event {
            text.push_str(&part);
        }
    }
    text
}

fn text_of(event: &Event<'_>) -> Option<String> {
    match event {
        Event::Text(text) | Event::Code(text) => Some(text.to_string()),
        Event::SoftBreak | Event::HardBreak => Some(" ".to_owned()),
        _ => None,
    }
}

/// Returns the text of raw HTML, without tags and comments.
fn told(raw: &str) -> Option<Event<'static>> {
    let (mut text, mut rest) = (String::new(), raw);
    while let Some(at) = rest.find('<') {
        text.push_str(rest.get(..at).unwrap_or_default());
        rest = rest.get(at..).unwrap_or_default();
        let end = if rest.starts_with("<!--") {
            rest.find("-->").map(|at| at + 3)
        } else {
            rest.find('>').map(|at| at + 1)
        };
        let is_code = ["<script", "<style"]
            .iter()
            .any(|tag| rest.get(..tag.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(tag)));
        rest = end.filter(|_| !is_code).and_then(|end| rest.get(end..)).unwrap_or_default();
    }
    text.push_str(rest);
    (!text.trim().is_empty()).then(|| Event::Text(text.into()))
}

/// Returns whether a link leads where a link may lead.
fn safe(url: &str) -> bool {
    let url = url.trim();
    let scheme = url.split(['/', '?', '#']).next().and_then(|begin| begin.split_once(':'));
    match scheme {
        None => !url.chars().any(char::is_control),
        Some((scheme, _)) => {
            ["http", "https", "mailto"].iter().any(|known| known.eq_ignore_ascii_case(scheme))
        }
    }
}

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    html::escape(text, &mut out);
    out
}

#[cfg(test)]
mod tests;
