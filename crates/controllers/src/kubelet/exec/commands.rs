//! The programs that there are. They say what those of BusyBox say.
//!
//! See <https://busybox.net/downloads/BusyBox.html>.

use std::time::Duration;

use golang::time::Time;

use super::conditions::{bracketed, expr, test};
use super::file_programs::{
    copy, make_directories, part_of_path, remove, remove_directories, rename, tee, touch,
};
use super::files::resolve;
use super::options::options;
use super::printing::{printf, seq};
use super::ran::Piece;
use super::serving::{HTTPD, NGINX, agnhost, serve_files};
use super::shell::{NULL, Program, Run};
use super::variables::set;

/// All programs.
const PROGRAMS: [(&str, Program); 38] = [
    ("[", |run, words| bracketed(run, words, "]")),
    ("[[", |run, words| bracketed(run, words, "]]")),
    ("agnhost", agnhost),
    ("basename", |run, words| part_of_path(run, words, true)),
    ("cat", cat),
    ("cp", copy),
    ("date", date),
    ("dirname", |run, words| part_of_path(run, words, false)),
    ("echo", echo),
    ("env", env),
    ("expr", expr),
    ("false", |_, _| 1),
    ("grep", grep),
    ("head", |run, words| some_lines(run, words, true)),
    ("hostname", |run, _| line(run, |run| run.shell.machine.hostname.clone())),
    ("httpd-foreground", |run, _| serve_files(run, HTTPD)),
    ("id", |run, _| line(run, |_| "uid=0(root) gid=0(root) groups=0(root)".to_owned())),
    ("ls", ls),
    ("mkdir", make_directories),
    ("mv", rename),
    ("nginx", |run, _| serve_files(run, NGINX)),
    ("nproc", |run, _| line(run, |_| "1".to_owned())),
    ("printenv", printenv),
    ("printf", printf),
    ("pwd", |run, _| line(run, |run| run.shell.prompt().trim_end_matches(" # ").to_owned())),
    ("rm", remove),
    ("rmdir", remove_directories),
    ("seq", seq),
    ("sleep", sleep),
    ("sort", sort),
    ("tail", |run, words| some_lines(run, words, false)),
    ("tee", tee),
    ("test", test),
    ("touch", touch),
    ("true", |_, _| 0),
    ("uname", uname),
    ("wc", wc),
    ("whoami", |run, _| line(run, |_| "root".to_owned())),
];

/// Returns the program with a name.
pub(super) fn find(name: &str) -> Option<Program> {
    PROGRAMS.iter().find(|(own, _)| *own == name).map(|(_, program)| *program)
}

fn line(run: &mut Run<'_>, text: impl Fn(&Run<'_>) -> String) -> u8 {
    let text = text(run);
    run.print(text.as_bytes());
    run.print(b"\n");
    0
}

/// Reads files, or the standard input where none is named or the name is `-`. Those that cannot be read are complained about.
fn inputs(run: &mut Run<'_>, name: &str, files: &[&str]) -> (Vec<(String, Vec<u8>)>, bool) {
    if files.is_empty() {
        return (vec![(String::new(), run.read())], true);
    }
    let (mut read, mut is_whole) = (Vec::new(), true);
    for file in files {
        if *file == "-" {
            let bytes = run.read();
            read.push(("-".to_owned(), bytes));
            continue;
        }
        let path = resolve(&run.shell.directory, file);
        let files = &run.shell.machine.files;
        let why = match files.read(&path) {
            Some(bytes) => {
                // Whoever reads much is as one who writes much.
                let count = bytes.len().min(run.shell.budget);
                let bytes = bytes[..count].to_vec();
                run.shell.budget -= count;
                read.push(((*file).to_owned(), bytes));
                continue;
            }
            None if path == NULL => continue,
            None if files.is_directory(&path) => ("read error: '", "': Is a directory"),
            None => ("can't open '", "': No such file or directory"),
        };
        is_whole = false;
        run.guess_of(&path);
        run.complain(&[name, ": ", why.0, file, why.1]);
    }
    (read, is_whole)
}

fn cat(run: &mut Run<'_>, words: &[String]) -> u8 {
    let Some((_, files)) = options(run, ("cat", "u"), words) else { return 1 };
    let (inputs, is_whole) = inputs(run, "cat", &files);
    for (_, bytes) in inputs {
        run.print(&bytes);
    }
    u8::from(!is_whole)
}

fn echo(run: &mut Run<'_>, words: &[String]) -> u8 {
    let (end, words) = match words.split_first() {
        Some((first, rest)) if first == "-n" => ("", rest),
        _ => ("\n", words),
    };
    run.print([&words.join(" "), end].concat().as_bytes());
    0
}

fn env(run: &mut Run<'_>, words: &[String]) -> u8 {
    let assigned = words.iter().take_while(|word| word.contains('=')).count();
    for (name, value) in words[..assigned].iter().filter_map(|word| word.split_once('=')) {
        set(&mut run.environment, name, value.to_owned());
    }
    if assigned < words.len() {
        return run.start(&words[assigned..]);
    }
    for (name, value) in run.environment.clone() {
        run.print([&name, "=", &value, "\n"].concat().as_bytes());
    }
    0
}

fn printenv(run: &mut Run<'_>, words: &[String]) -> u8 {
    if words.is_empty() {
        return env(run, words);
    }
    let mut code = 0;
    for word in words {
        match run.environment.iter().find(|(name, _)| name == word).map(|(_, value)| value.clone()) {
            Some(value) => run.print([&value, "\n"].concat().as_bytes()),
            None => code = 1,
        }
    }
    code
}

fn ls(run: &mut Run<'_>, words: &[String]) -> u8 {
    let Some((letters, paths)) = options(run, ("ls", "1alhAd"), words) else { return 1 };
    let paths = if paths.is_empty() { vec!["."] } else { paths };
    let (is_long, all) = (letters.contains('l'), letters.contains('a'));
    let date = stamp(run.shell.machine.now).get(4..16).unwrap_or_default().to_owned();
    let mut code = 0;
    for path in &paths {
        let absolute = resolve(&run.shell.directory, path);
        let files = &run.shell.machine.files;
        let mut entries: Vec<(String, String)> = Vec::new();
        if files.is_directory(&absolute) && !letters.contains('d') {
            if all {
                entries.extend([".", ".."].map(|name| (name.to_owned(), absolute.clone())));
            }
            let names =
                files.names(&absolute).filter(|name| all || letters.contains('A') || !name.starts_with('.'));
            entries.extend(names.map(|name| (name.to_owned(), [&absolute, "/", name].concat())));
        } else if files.is_directory(&absolute) || files.read(&absolute).is_some() {
            entries.push(((*path).to_owned(), absolute.clone()));
        } else {
            run.guess_of(&absolute);
            run.complain(&["ls: ", path, ": No such file or directory"]);
            code = 1;
            continue;
        }
        let show = |(name, path): &(String, String)| {
            if !is_long {
                return [name, "\n"].concat();
            }
            let mode = if files.is_directory(path) { "drwxr-xr-x    2" } else { "-rw-r--r--    1" };
            let size = files.read(path).map_or(4096, <[u8]>::len);
            format!("{mode} root     root     {size:>9} {date} {name}\n")
        };
        let listing: String = entries.iter().map(show).collect();
        if paths.len() > 1 && files.is_directory(&absolute) {
            run.print([path, ":\n"].concat().as_bytes());
        }
        run.print(listing.as_bytes());
    }
    code
}

fn sleep(run: &mut Run<'_>, words: &[String]) -> u8 {
    let mut time = Duration::ZERO;
    for word in words {
        let digits = word.trim_end_matches(['s', 'm', 'h', 'd']);
        let unit = match &word[digits.len()..] {
            "" | "s" => 1.0,
            "m" => 60.0,
            "h" => 3600.0,
            "d" => 86400.0,
            _ => f64::NAN,
        };
        let seconds = digits.parse::<f64>().unwrap_or(f64::NAN) * unit;
        if !(0.0..1e9).contains(&seconds) {
            run.guess();
            run.complain(&["sleep: invalid number '", word, "'"]);
            return 1;
        }
        time = time.saturating_add(Duration::from_secs_f64(seconds));
    }
    if words.is_empty() {
        run.complain(&["sleep: missing operand"]);
        return 1;
    }
    run.ran.pieces.push(Piece::Sleep(time));
    run.shell.pass(time);
    0
}

/// Selects lines. A pattern is a text, which `^` and `$` may bind to the begin and the end of a line; there are no other expressions.
fn grep(run: &mut Run<'_>, words: &[String]) -> u8 {
    let Some((letters, others)) = options(run, ("grep", "ivcqEFn"), words) else { return 2 };
    let Some((pattern, files)) = others.split_first() else {
        run.complain(&["grep: missing pattern"]);
        return 2;
    };
    if pattern.contains(['.', '*', '[', '\\', '+', '?', '|', '(']) {
        run.guess();
    }
    let fold = |text: &str| if letters.contains('i') { text.to_lowercase() } else { text.to_owned() };
    let pattern = fold(pattern);
    let (text, begins) = pattern.strip_prefix('^').map_or((&*pattern, false), |text| (text, true));
    let (text, ends) = text.strip_suffix('$').map_or((text, false), |text| (text, true));
    let matches = |line: &str| {
        let line = fold(line);
        let is_there = match (begins, ends) {
            (true, true) => line == text,
            (true, false) => line.starts_with(text),
            (false, true) => line.ends_with(text),
            (false, false) => line.contains(text),
        };
        is_there != letters.contains('v')
    };
    let (inputs, is_whole) = inputs(run, "grep", files);
    let mut found = 0;
    for (file, bytes) in inputs {
        let before = if files.len() > 1 { [&file, ":"].concat() } else { String::new() };
        let (all, mut own) = (String::from_utf8_lossy(&bytes).into_owned(), 0_usize);
        for (number, line) in (1..).zip(all.lines()).filter(|(_, line)| matches(line)) {
            own += 1;
            let number = if letters.contains('n') { format!("{number}:") } else { String::new() };
            if !letters.contains(['c', 'q']) {
                run.print([&before, &number, line, "\n"].concat().as_bytes());
            }
        }
        if letters.contains('c') {
            run.print(format!("{before}{own}\n").as_bytes());
        }
        found += own;
    }
    if is_whole { u8::from(found == 0) } else { 2 }
}

fn sort(run: &mut Run<'_>, words: &[String]) -> u8 {
    let Some((letters, files)) = options(run, ("sort", "ru"), words) else { return 1 };
    let (inputs, is_whole) = inputs(run, "sort", &files);
    let text: String = inputs.iter().map(|(_, bytes)| String::from_utf8_lossy(bytes)).collect();
    let mut lines: Vec<&str> = text.lines().collect();
    lines.sort_unstable();
    if letters.contains('u') {
        lines.dedup();
    }
    if letters.contains('r') {
        lines.reverse();
    }
    lines.iter().for_each(|line| run.print([line, "\n"].concat().as_bytes()));
    u8::from(!is_whole)
}

/// Writes the first lines, or the last ones: ten, or as many as `-n` says.
fn some_lines(run: &mut Run<'_>, words: &[String], is_head: bool) -> u8 {
    let name = if is_head { "head" } else { "tail" };
    let (mut count, mut files, mut words) = (10, Vec::new(), words.iter());
    while let Some(word) = words.next() {
        let number = match word.strip_prefix('-') {
            Some("n") => words.next().map(String::as_str),
            Some(number) if !number.is_empty() => Some(number.trim_start_matches('n')),
            _ => {
                files.push(word.as_str());
                continue;
            }
        };
        let Some(number) = number.and_then(|number| number.parse().ok()) else {
            run.guess();
            run.complain(&[name, ": invalid number '", number.unwrap_or_default(), "'"]);
            return 1;
        };
        count = number;
    }
    let (inputs, is_whole) = inputs(run, name, &files);
    for (_, bytes) in inputs {
        let lines: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
        let lines = if is_head {
            &lines[..lines.len().min(count)]
        } else {
            &lines[lines.len().saturating_sub(count)..]
        };
        lines.iter().for_each(|line| run.print(line));
    }
    u8::from(!is_whole)
}

fn wc(run: &mut Run<'_>, words: &[String]) -> u8 {
    let Some((letters, files)) = options(run, ("wc", "lwc"), words) else { return 1 };
    let (inputs, is_whole) = inputs(run, "wc", &files);
    for (file, bytes) in inputs {
        let lines = bytes.iter().filter(|byte| **byte == b'\n').count();
        let counts = [
            ('l', lines),
            ('w', String::from_utf8_lossy(&bytes).split_whitespace().count()),
            ('c', bytes.len()),
        ];
        let wanted = counts.iter().filter(|(letter, _)| letters.is_empty() || letters.contains(*letter));
        let mut shown: Vec<String> = wanted.map(|(_, count)| count.to_string()).collect();
        shown.extend(Some(file).filter(|file| !file.is_empty()));
        run.print([&shown.join(" "), "\n"].concat().as_bytes());
    }
    u8::from(!is_whole)
}

fn uname(run: &mut Run<'_>, words: &[String]) -> u8 {
    let all = words.iter().any(|word| word == "-a");
    line(run, |run| match all {
        true => ["Linux ", &run.shell.machine.hostname, " 6.12.0-kubeglass x86_64 Linux"].concat(),
        false => "Linux".to_owned(),
    })
}

fn date(run: &mut Run<'_>, words: &[String]) -> u8 {
    if !words.is_empty() {
        run.guess();
    }
    line(run, |run| stamp(run.shell.machine.now))
}

/// Writes a time: `Sat Nov 28 05:24:07 UTC 2026`.
fn stamp(now: Duration) -> String {
    let text = Time::unix(i64::try_from(now.as_secs()).unwrap_or_default()).rfc1123();
    let parts: Vec<&str> = text.split([' ', ',']).filter(|part| !part.is_empty()).collect();
    let [weekday, day, month, year, time, ..] = parts[..] else { return text };
    format!("{weekday} {month} {:>2} {time} UTC {year}", day.trim_start_matches('0'))
}
