//! Tests of the syntax.

use super::*;

/// Writes words, with variables in braces, and those outside of quotes in two.
fn word(word: &Word) -> String {
    let part = |part: &Part| match part {
        Part::Text(text) => text.clone(),
        Part::Variable(name, true) => format!("{{{name}}}"),
        Part::Variable(name, false) => format!("{{{{{name}}}}}"),
        Part::Output(commands, _) => format!("({})", list(commands)),
        Part::Arithmetic(text) => format!("(({text}))"),
    };
    word.parts.iter().map(part).collect()
}

fn list(commands: &List) -> String {
    let one = |(when, pipeline): &(When, Pipeline)| {
        let all: Vec<String> = pipeline.stages.iter().map(stage).collect();
        let not = if pipeline.is_negated { "not " } else { "" };
        format!("{when:?}: {not}{}", all.join(" | "))
    };
    commands.iter().map(one).collect::<Vec<_>>().join("; ")
}

fn stage(stage: &Stage) -> String {
    let words = |words: &[Word]| words.iter().map(word).collect::<Vec<_>>().join("_");
    let mut parts = vec![match &stage.body {
        Body::Simple(own) => words(own),
        Body::Group(own) => format!("[{}]", list(own)),
        Body::If(branches, otherwise) => {
            let branch = |(condition, then): &(List, List)| format!("[{} ? {}]", list(condition), list(then));
            let branches: String = branches.iter().map(branch).collect();
            format!("if{branches}[{}]", list(otherwise))
        }
        Body::While(until, condition, body) => {
            format!("{}[{}][{}]", if *until { "until" } else { "while" }, list(condition), list(body))
        }
        Body::For(name, values, body) => format!("for[{name} {}][{}]", words(values), list(body)),
    }];
    parts.extend(stage.redirections.iter().map(|own| match own {
        Redirection::Input(file) => format!("<{}", word(file)),
        Redirection::Output(stream, file, appends) => {
            format!("{stream}{}{}", if *appends { ">>" } else { ">" }, word(file))
        }
        Redirection::Copy(stream, to) => format!("{stream}>&{to}"),
    }));
    parts.join("_")
}

#[track_caller]
fn check(text: &str, expected: &str) {
    assert_eq!(parse(text).map_or_else(|why| why, |found| list(&found)), expected, "{text}");
}

#[test]
fn commands() {
    check("", "");
    check(" ;\n; # nothing", "");
    check("ls -l /etc", "Always: ls_-l_/etc");
    check("a; b && c || d\ne", "Always: a; Always: b; Succeeded: c; Failed: d; Always: e");
    check("env | grep X|wc -l", "Always: env | grep_X | wc_-l");
    check("a >b 2>>c <d 2>&1 e", "Always: a_e_1>b_2>>c_<d_2>&1");
    check("echo 2 > f; echo a2>f", "Always: echo_2_1>f; Always: echo_a2_1>f");
    check("a&&\nb", "Always: a; Succeeded: b");
}

#[test]
fn words() {
    check(r#"echo 'a $b'"c $d"\ e"#, "Always: echo_a $bc {d} e");
    check(r#"echo "" '\' "\"\x" #"#, r#"Always: echo__\_"\x"#);
    check("echo $A${B}c$ $? $1", "Always: echo_{{A}}{{B}}c$_{{?}}_{{1}}");
    check("echo a#b üñ", "Always: echo_a#b_üñ");
}

#[test]
fn compound_commands() {
    check(
        "if a; then b; elif c\nthen d; else e; fi >f",
        "Always: if[Always: a ? Always: b][Always: c ? Always: d][Always: e]_1>f",
    );
    check("while a; do b; done | c", "Always: while[Always: a][Always: b] | c");
    check("until ! a; do { b; c; }; done", "Always: until[Always: not a][Always: [Always: b; Always: c]]");
    check("for i in a $B\ndo echo $i\ndone", "Always: for[i a_{{B}}][Always: echo_{{i}}]");
    check("for i; do a; done", "Always: for[i ][Always: a]");
    check("echo do done }", "Always: echo_do_done_}");
    check("echo $(a | b \"$(c)\")d `e`", "Always: echo_(Always: a | b_(Always: c))d_(Always: e)");
    check("i=$((i + 1))", "Always: i=((i + 1))");
}

#[test]
fn mistakes() {
    for text in ["echo 'a", "echo \"a", "echo 'a\" b"] {
        check(text, "syntax error: unterminated quoted string");
    }
    check("a &&", "syntax error: unexpected end of file");
    check("&& a", "syntax error: unexpected \"&&\"");
    check("a || || b", "syntax error: unexpected \"||\"");
    for text in ["| a", "a |", "a | | b", "a | ; b"] {
        check(text, "syntax error: unexpected \"|\"");
    }
    check("a >", "syntax error: unexpected \"redirection\"");
    check("a 2>&x", "syntax error: unexpected \">&\"");
    for (text, what) in [
        ("case a in", "case"),
        ("echo ${A:-b}", "${"),
        ("echo ${", "${"),
        ("(ls)", "("),
        ("f() { ls; }", "("),
        ("sleep 1 &", "&"),
        ("cat <<E", "<<"),
    ] {
        check(text, &format!("syntax error: \"{what}\" is not supported here"));
    }
    for text in ["if true", "if true; then", "while true; do ls", "for a in b", "{ ls"] {
        check(text, "syntax error: unexpected end of file");
    }
    for (text, what) in [
        ("if true; fi", "fi"),
        ("if; then ls; fi", "then"),
        ("while true; do done", "done"),
        ("done", "done"),
        ("for 1 in a; do ls; done", "1"),
        ("{ ls; } ls", "ls"),
        ("! && ls", "&&"),
    ] {
        check(text, &format!("syntax error: unexpected \"{what}\""));
    }
    check(&"if true; then ".repeat(17), "there are too many commands within each other");
    check(&"echo $(".repeat(40), "syntax error: unterminated quoted string");
    check("echo if", "Always: echo_if");
}
