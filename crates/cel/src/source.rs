//! The text of an expression, places in it, and what is wrong with it.

/// The errors of an expression: all of them, in the order of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Issues(Vec<Issue>);

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Issue {
    /// The character that it is about, counted from 0 on; none for the expression as a whole.
    pub(crate) offset: Option<u32>,
    pub(crate) message: String,
}

/// The most errors that are shown.
const SHOWN: usize = 100;

impl Issues {
    pub(crate) fn new(mut issues: Vec<Issue>) -> Self {
        schema::sort_by(&mut issues, |a, b| a.offset.cmp(&b.offset));
        Self(issues)
    }

    /// How many errors there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns whether there are no errors.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The errors as cel-go shows them, each with the line of `text` that it is about and a mark below it.
    pub fn to_text(&self, text: &str) -> String {
        let mut shown = String::new();
        for (index, issue) in self.0.iter().take(SHOWN).enumerate() {
            if index > 0 {
                shown.push('\n');
            }
            issue.write(text, &mut shown);
        }
        if self.0.len() > SHOWN {
            shown.push('\n');
            shown.push_str(&(self.0.len() - SHOWN).to_string());
            shown.push_str(" more errors were truncated");
        }
        shown
    }
}

impl Issue {
    fn write(&self, text: &str, shown: &mut String) {
        let Some(offset) = self.offset else {
            shown.push_str("ERROR: <input>:-1:0: ");
            shown.push_str(&self.message);
            return;
        };
        if text.is_empty() {
            // cel-go gives an empty source column 0, and shows no line of it.
            shown.push_str("ERROR: <input>:1:0: ");
            shown.push_str(&self.message);
            return;
        }
        let (mut line, mut column, mut number) = ("", offset as usize, 1);
        for (index, next) in text.split('\n').enumerate() {
            line = next;
            number = index + 1;
            let length = next.chars().count();
            if column <= length {
                break;
            }
            column -= length + 1;
        }
        shown.push_str("ERROR: <input>:");
        shown.push_str(&number.to_string());
        shown.push(':');
        shown.push_str(&(column + 1).to_string());
        shown.push_str(": ");
        shown.push_str(&self.message);
        shown.push_str("\n | ");
        shown.push_str(&line.replace('\t', " "));
        shown.push_str("\n | ");
        // What takes more than a byte is taken to be wide, and so are the dots and the mark below it.
        let mut letters = line.chars();
        for letter in letters.by_ref().take(column) {
            shown.push(if letter.is_ascii() { '.' } else { '．' });
        }
        shown.push(if letters.next().is_none_or(|letter| letter.is_ascii()) { '^' } else { '＾' });
    }
}
