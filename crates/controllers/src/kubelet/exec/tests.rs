//! Tests of the shell and its programs.

use super::variables::set;
use super::*;

/// Makes a shell with some variables and files.
fn shell() -> Shell {
    let mut files = Files::default();
    files.make_directory("/tmp");
    files.add("/etc/app/a.conf", b"one\ntwo\nthree\n".to_vec());
    files.add("/etc/app/.hidden", Vec::new());
    files.add("/etc/hostname", b"web-0\n".to_vec());
    let mut environment = Vec::new();
    for (name, value) in [("HOME", "/tmp"), ("GREETING", "hello  world"), ("EMPTY", "")] {
        set(&mut environment, name, value.to_owned());
    }
    // 2026-11-08T05:24:07Z
    let now = Duration::from_secs(1_794_115_447);
    let places = Arc::new([]);
    Shell::new(Machine { hostname: "web-0".to_owned(), environment, files, places, now }, commands::find)
}

/// Returns what was written, that of the standard error in brackets, and the exit code unless it is 0.
fn show(ran: &Ran) -> String {
    let mut text = String::new();
    for piece in &ran.pieces {
        match piece {
            Piece::Stdout(bytes) => text.push_str(&String::from_utf8_lossy(bytes)),
            Piece::Stderr(bytes) => {
                text.push_str(&format!("[{}]", String::from_utf8_lossy(bytes).trim_end()))
            }
            Piece::Sleep(time) => text.push_str(&format!("<{time:?}>")),
            Piece::Unknown => {}
        }
    }
    if ran.code != 0 {
        text.push_str(&format!("={}", ran.code));
    }
    text
}

#[track_caller]
fn check(text: &str, expected: &str) {
    assert_eq!(show(&shell().run(text, b"from outside\n")), expected, "{text}");
}

#[test]
fn words_and_variables() {
    check("echo a  'b  c' \"d\"", "a b  c d\n");
    check(
        "echo $GREETING; echo \"$GREETING\"; echo $EMPTY $MISSING.; echo \"$EMPTY\"",
        "hello world\nhello  world\n.\n\n",
    );
    check("A=1; B=$A$A; echo $A ${B}2 '$A'", "1 112 $A\n");
    check("A=1 printenv A; printenv A", "1\n=1");
    check("A=1; printenv A; export A; printenv A; unset A; printenv A", "1\n=1");
    check("export A=2 && env | grep ^A", "A=2\n");
    check("false; echo $?; true; echo $?", "1\n0\n");
    check("cd /etc/app; pwd; cd ..; echo $PWD; cd; pwd", "/etc/app\n/etc\n/tmp\n");
    check("cd /no", "[sh: cd: can't cd to /no: No such file or directory]=1");
}

#[test]
fn commands_in_order() {
    check("true && echo a || echo b; false && echo c || echo d", "a\nd\n");
    check("exit 3; echo no", "=3");
    check("false; exit", "=1");
    check("nothing; echo $?", "[sh: nothing: not found]127\n");
    check("echo a | cat | cat - /etc/hostname", "a\nweb-0\n");
    check("cat | wc", "1 2 13\n");
    check("sleep 1m 2; echo x | sleep 0.5", "<62s><500ms>");
    check("sh -c 'echo $HOME; exit 4'; echo $?", "/tmp\n4\n");
    check("echo 'echo a' | sh", "a\n");
    check("case a", "[sh: syntax error: \"case\" is not supported here]=2");
    check("export X='sh -c \"$X\"'; sh -c \"$X\"", "[sh: too many shells within each other]=126");
}

#[test]
fn compound_commands() {
    check("for i in 3 2 1; do echo $i; done; echo $i", "3\n2\n1\n1\n");
    check("i=0; while [ $i -lt 3 ]; do i=$((i + 1)); echo $i; done", "1\n2\n3\n");
    check("i=9; until [ $i -eq 7 ]; do i=$((i-1)); done; echo $i", "7\n");
    check("if false; then echo a; elif true; then echo b; else echo c; fi", "b\n");
    check("if false; then echo a; else echo c; fi | cat", "c\n");
    check("if false; then echo a; fi; echo $?", "0\n");
    check("! true; echo $?; ! false && echo yes", "1\nyes\n");
    check("{ echo a; echo b; } > /tmp/f; cat /tmp/f", "a\nb\n");
    check("for i in 1 2 3; do if [ $i = 2 ]; then continue; fi; echo $i; done", "1\n3\n");
    check("while true; do echo a; if true; then break; fi; echo b; done; echo c", "a\nc\n");
    check("for i in 1 2; do for j in a b; do echo $i$j; break; done; done", "1a\n2a\n");
    check("while true; do echo a; exit 4; done; echo b", "a\n=4");
    check("for i in; do echo a; done", "");
    check("for i in $(nothing); do echo a; done", "[sh: nothing: not found]");
    check("i=5; while sleep 1; do echo $i; i=$((i-4)); [ $i -lt 0 ] && break; done", "<1s>5\n<1s>1\n");
    check("while true; do :; done", "[sh: too much output]=1");
}

#[test]
fn outputs_in_words() {
    check("echo \"$(echo a; echo b)\" $(echo c; echo d)", "a\nb c d\n");
    check("echo `hostname`-$(hostname)", "web-0-web-0\n");
    check("A=$(false); echo $?; A=$(echo x); echo $? $A", "1\n0 x\n");
    check("echo $(nothing)", "[sh: nothing: not found]\n");
    check("echo $(echo $(echo deep))", "deep\n");
    check("A=1; echo $(A=2; echo $A) $A", "2 1\n");
    check("echo $(sleep 2; date)", "<2s>Sun Nov 8 05:24:09 UTC 2026\n");
}

#[test]
fn arithmetic() {
    #[track_caller]
    fn sum(text: &str, expected: &str) {
        check(&format!("echo $(({text}))"), &format!("{expected}\n"));
    }
    sum("1 + 2 * 3", "7");
    sum("(1 + 2) * 3 % 5", "4");
    sum("-2 - -3", "1");
    sum("7 / 2 == 3 && !(1 > 2) || 0", "1");
    sum("0x1f + 010", "39");
    sum("missing + 1", "1");
    check("i=3; echo $((i++)) $i $((++i)) $((i += 5)) $(($i - 1)); echo $i", "3 4 5 10 9\n10\n");
    check("echo $((1 / 0))", "[sh: arithmetic: divide by zero]\n");
    check("echo $((1 +))", "[sh: arithmetic: syntax error]\n");
    check(
        &format!("echo $(({}1{}))", "(".repeat(99), ")".repeat(99)),
        "[sh: arithmetic: too many expressions within each other]\n",
    );
}

#[test]
fn formats_and_numbers() {
    check("seq 3; seq 5 6; seq 9 -4 1", "1\n2\n3\n5\n6\n9\n5\n1\n");
    check("printf 'a %s %d%%\\n' b 3; printf '%s\\n' x y", "a b 3%\nx\ny\n");
    check("printf plain; printf", "plain[printf: missing operand]=1");
}

#[test]
fn redirections() {
    check("echo a >/tmp/f; echo b >> /tmp/f; cat < /tmp/f; cat /tmp/f", "a\nb\na\nb\n");
    check(
        "cat /no 2>/dev/null; cat /no 2>&1 | wc -l; cat /no >/tmp/e 2>&1; cat /tmp/e",
        "1\ncat: can't open '/no': No such file or directory\n",
    );
    check("echo a >/no/f", "[sh: can't create /no/f: nonexistent directory]=1");
    check("echo a >/tmp", "[sh: can't create /tmp: Is a directory]=1");
    check("cat </no", "[sh: can't open /no: no such file]=1");
    check("echo lost >/dev/null; cat /dev/null; cat </dev/null", "");
}

#[test]
fn programs() {
    check("ls /etc /etc/app/a.conf", "/etc:\napp\nhostname\n/etc/app/a.conf\n");
    check("cd /etc; ls app; ls -a app; ls -A app", "a.conf\n.\n..\n.hidden\na.conf\n.hidden\na.conf\n");
    check(
        "ls -l /etc",
        "drwxr-xr-x    2 root     root          4096 Nov  8 05:24 app\n-rw-r--r--    1 root     root             6 Nov  8 05:24 hostname\n",
    );
    check("ls /no; ls -x", "[ls: /no: No such file or directory][ls: unrecognized option: x]=1");
    check("hostname; whoami; uname; date", "web-0\nroot\nLinux\nSun Nov  8 05:24:07 UTC 2026\n");
    check("cat /etc", "[cat: read error: '/etc': Is a directory]=1");
    check(
        "grep -v t /etc/app/a.conf; grep -c ^t /etc/app/a.conf; grep -in 'TWO$' /etc/app/a.conf; grep x </etc/hostname",
        "one\n2\n2:two\n=1",
    );
    check(
        "sort -r /etc/app/a.conf; head -n 1 /etc/app/a.conf; tail -2 /etc/app/a.conf",
        "two\nthree\none\none\ntwo\nthree\n",
    );
    check("head -n x", "[head: invalid number 'x']=1");
    check("wc -l /etc/app/a.conf", "3 /etc/app/a.conf\n");
    check("env A=1 printenv A; env A=1 nothing", "1\n[sh: nothing: not found]=127");
    check("[ -f /etc/hostname ] && [ -d /etc ] && test ! -e /no && [ a != b ] && echo yes", "yes\n");
    check("[ -z a ]; echo $?; [ a -lt b ]", "1\n[sh: bad number]=2");
    check("echo -n a; echo b", "ab\n");
    check(
        "sleep x; sleep 1e99; sleep",
        "[sleep: invalid number 'x'][sleep: invalid number '1e99'][sleep: missing operand]=1",
    );
}

#[test]
fn kinds_of_commands() {
    let kind = |words: &str| shell().kind(&words.split(' ').map(str::to_owned).collect::<Vec<_>>());
    assert_eq!(kind("/bin/sh"), Command::Shell);
    assert_eq!(kind("bash -i"), Command::Shell);
    assert_eq!(kind("sh -ec ls"), Command::Script("ls".to_owned()));
    assert_eq!(kind("sh -c"), Command::Script(String::new()));
    assert_eq!(kind("/usr/bin/env"), Command::Program);
    assert_eq!(kind("/app/server x"), Command::Missing("/app/server".to_owned()));
    assert_eq!(shell().kind(&[]), Command::Missing(String::new()));
}

#[test]
fn the_input_is_read_where_it_is_wanted() {
    for (text, expected) in
        [("cat", true), ("cat -", true), ("cat /etc/hostname", false), ("echo a | cat", false), ("sh", true)]
    {
        assert_eq!(shell().run(text, b"").reads_stdin, expected, "{text}");
    }
}

#[test]
fn output_has_an_end() {
    let long = ["export A=", &"x".repeat(60_000)].concat();
    let mut shell = shell();
    shell.run(&long, b"");
    let ran = shell.run(&"env;".repeat(16_000), b"");
    let size: usize =
        ran.pieces.iter().map(|piece| if let Piece::Stdout(bytes) = piece { bytes.len() } else { 0 }).sum();
    assert!((1 << 20..8 << 20).contains(&size), "{size}");
    assert_eq!(ran.code, 1);
    assert_eq!(show(&shell.run(&"a".repeat(70_000), b"")), "[sh: the text is too long]=2");
}

#[test]
fn what_is_hostile_costs_little() {
    let doubled = ["X=0123456789; ", &"X=$X$X; ".repeat(5_000)].concat();
    let ran = shell().run(&doubled, b"");
    assert!(show(&ran).contains("sh: the value is too long"), "{}", show(&ran));
    let ran = shell().run(&["X=", &"x".repeat(60_000), "; echo ", &"$X".repeat(2_000)].concat(), b"");
    assert_eq!(show(&ran), "[sh: argument list too long]=126");
    for (text, code) in [
        ("env ".repeat(10_000), 126),
        (["true", &" | sort".repeat(9_000)].concat(), 0),
        ("sort /etc/app/a.conf; ".repeat(2_900), 0),
        ("echo a >> /tmp/f;".repeat(3_800), 0),
        (["export A=", &"x".repeat(60_000), "; ", &"true; ".repeat(800)].concat(), 1),
    ] {
        assert_eq!(shell().run(&text, b"").code, code, "{}", &text[..20]);
    }
}

#[test]
fn nothing_that_is_typed_panics() {
    let parts = [
        "echo", " ", "$", "{", "}", "A", "=", "'", "\"", "|", "&&", "||", ";", ">", "<", "2>", "&1",
        "/tmp/f", "cat", "ls -l", "\\", "#", "\n", "ü", "[", "]", "-", "grep", "sort", "head -n", "9", "..",
        "sleep", "exit", "cd", "env", "\0", "sh -c",
    ];
    let mut state = 7_u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize
    };
    let (mut shell, mut terminal) = (shell(), Terminal::default());
    for _ in 0..5_000 {
        let text: String = (0..next() % 12).map(|_| parts[next() % parts.len()]).collect();
        shell.run(&text, text.as_bytes());
        let bytes: Vec<u8> = (0..next() % 12).map(|_| next() as u8).collect();
        terminal.feed(&bytes);
        shell.run(&String::from_utf8_lossy(&bytes), &bytes);
    }
}

#[test]
fn programs_that_change_files() {
    check(
        "touch /tmp/a; ls /tmp; rm /tmp/a; ls /tmp; rm -f /tmp/a; rm /tmp/a",
        "a\n[rm: can't remove '/tmp/a': No such file or directory]=1",
    );
    check("mkdir /tmp/d && mkdir /tmp/d", "[mkdir: can't create directory '/tmp/d': File exists]=1");
    check("mkdir -p /tmp/a/b; cd /tmp/a/b; echo x > f; cp f g; mv g /tmp/h; ls; cat /tmp/h", "f\nx\n");
    check(
        "mkdir /tmp/a; touch /tmp/a/f; rm /tmp/a; rmdir /tmp/a; rm -r /tmp/a; ls /tmp",
        "[rm: can't remove '/tmp/a': Is a directory][rmdir: '/tmp/a': Directory not empty]",
    );
    check(
        "cp -r /etc/app /tmp; ls /tmp/app; mv -v /tmp/app/a.conf /tmp",
        "a.conf\n'/tmp/app/a.conf' -> '/tmp/a.conf'\n",
    );
    check(
        "touch /tmp/f; mkdir -p /tmp/f/g; ls /tmp",
        "[mkdir: can't create directory '/tmp/f/g': Not a directory]f\n",
    );
    check("cp /etc/app /tmp", "[cp: can't write '/etc/app': omitting directory]=1");
    check("mv /etc/app /etc/app/deeper", "[mv: can't write '/etc/app/deeper': it is the same]=1");
    check(
        "echo a | tee /tmp/f /tmp/g; echo b | tee -a /tmp/f > /dev/null; cat /tmp/f /tmp/g",
        "a\na\nb\na\n",
    );
    check("basename /a/b.txt .txt; dirname /a/b.txt; basename /; dirname a", "b\n/a\n/\n.\n");
}

#[test]
fn questions_and_expressions() {
    check(
        "if [[ -r /tmp/f ]]; then echo a; else touch /tmp/f; fi; [[ -r /tmp/f ]] && echo b; [ -s /tmp/f ]",
        "b\n=1",
    );
    check("[ 1 = 1; echo $?", "[sh: missing ]]2\n");
    check("expr 7 % 2; expr 7 '*' 2; expr 2 '<' 10; expr b '>' a; expr 1 = 2", "1\n14\n1\n1\n0\n=1");
    check("expr 1 / 0", "[expr: division by zero]=2");
    check("if [ $(expr 4 % 2) -ne 0 ]; then exit 1; else exit 0; fi", "");
    check("a=$RANDOM; [ $a -ge 0 ] && [ $a -lt 32768 ] && [ $a != $RANDOM ] && echo yes", "yes\n");
}
