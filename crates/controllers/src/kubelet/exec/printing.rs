//! Programs that write numbers and texts in a form.

use super::shell::Run;

/// The most numbers that are written.
const MOST_NUMBERS: i64 = 100_000;

/// Writes numbers: from 1 or the first one, up to the last, with or without a step between them.
pub(super) fn seq(run: &mut Run<'_>, words: &[String]) -> u8 {
    let numbers: Option<Vec<i64>> = words.iter().map(|word| word.parse().ok()).collect();
    let (first, step, last) = match numbers.as_deref() {
        Some([last]) => (1, 1, *last),
        Some([first, last]) => (*first, 1, *last),
        Some([first, step, last]) if *step != 0 => (*first, *step, *last),
        _ => {
            run.guess();
            run.complain(&["seq: invalid number"]);
            return 1;
        }
    };
    let mut number = first;
    for _ in 0..MOST_NUMBERS {
        if run.shell.budget == 0 || (step > 0 && number > last) || (step < 0 && number < last) {
            return 0;
        }
        run.print(format!("{number}\n").as_bytes());
        let Some(next) = number.checked_add(step) else { return 0 };
        number = next;
    }
    run.guess();
    1
}

/// Writes a format with words in it, again for as long as there are more words: `%s`, `%d` and `%%`, and the usual letters behind
/// backslashes.
pub(super) fn printf(run: &mut Run<'_>, words: &[String]) -> u8 {
    let Some((format, words)) = words.split_first() else {
        run.complain(&["printf: missing operand"]);
        return 1;
    };
    let mut words = words.iter();
    loop {
        let count = words.len();
        let mut text = String::new();
        let mut chars = format.chars();
        while let Some(char) = chars.next() {
            match (char, chars.clone().next()) {
                ('%', Some('s')) => text.push_str(words.next().map_or("", String::as_str)),
                ('%', Some('d')) => text.push_str(words.next().map_or("0", String::as_str)),
                ('%', Some('%')) => text.push('%'),
                ('\\', Some('n')) => text.push('\n'),
                ('\\', Some('t')) => text.push('\t'),
                ('\\', Some('r')) => text.push('\r'),
                ('\\', Some('\\')) => text.push('\\'),
                ('%' | '\\', _) => {
                    run.guess();
                    run.complain(&["printf: this is not supported here"]);
                    return 1;
                }
                _ => {
                    text.push(char);
                    continue;
                }
            }
            chars.next();
        }
        run.print(text.as_bytes());
        if words.len() == 0 || words.len() == count || run.shell.budget == 0 {
            return 0;
        }
    }
}
