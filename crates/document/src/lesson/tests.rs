use super::*;
use crate::block::Block;
use crate::markdown;
use crate::run::Runner;
use crate::scene::Scene;

/// Returns the blocks of a lesson, as a runner has them.
fn blocks(body: &str) -> Vec<Block> {
    let text = ["---\nlesson: {about: a}\n---\n", body].concat();
    let page = markdown::read(&text, "a.md").unwrap_or_default();
    Runner::new(page.blocks, Scene::default()).blocks().to_vec()
}

/// Returns a block of a lesson that begins in the first line.
fn block(info: &str, text: &str) -> Block {
    Block::of_lesson(text, 1, info, &Default::default())
}

#[test]
fn front_matter() {
    let check = |yaml: &str, expected: Result<Option<(&str, Picture)>, &str>| {
        let found = Lesson::in_front_matter(yaml);
        match (&found, expected) {
            (Err(why), Err(part)) => assert!(why.contains(part), "{why}"),
            (Ok(found), Ok(expected)) => {
                let found = found.as_ref().map(|lesson| (lesson.about.as_str(), lesson.picture));
                assert_eq!(found, expected, "{yaml}");
            }
            _ => panic!("{yaml}: {found:?}"),
        }
    };
    check("title: a", Ok(None));
    check("lesson:\n  about: b", Ok(Some(("b", Picture::Response))));
    check("title: a\nlesson: {about: b, picture: timeline}\nscene: {}", Ok(Some(("b", Picture::Timeline))));
    check("lesson:", Err("missing field `about` at line 2"));
    check("lesson: {picture: watches}", Err("missing field `about`"));
    check("lesson: {about: b, picture: sky}", Err("unknown variant `sky`"));
    check(
        "title: a\nlesson:\n  about: b\n  colour: c",
        Err("unknown field `colour`, expected `about` or `picture` at line 5"),
    );
}

#[test]
fn info_strings_tell_sorts_and_roles() {
    let check = |info: &str, expected: (&str, Role)| {
        let block = block(info, "GET /api\n---\n200 OK\n");
        let sort = match block.content {
            Content::Http(_) => "http",
            Content::Question => "question",
            Content::Hint => "hint",
            Content::Check => "check",
            _ => "other",
        };
        assert_eq!((sort, block.role), expected, "{info}");
    };
    check("http", ("http", Role::Example));
    check("http solution", ("http", Role::Solution));
    check("http  wrong", ("http", Role::Wrong));
    check("http,wrong", ("http", Role::Wrong));
    check("http right", ("http", Role::Example));
    check("solution", ("http", Role::Example));
    check("check", ("check", Role::Example));
    check("hint wrong", ("hint", Role::Example));
    check("question", ("question", Role::Example));
    check("", ("http", Role::Example));
}

#[test]
fn other_pages_have_examples_alone() {
    let text = "```check\nexpect: a\n```\n\n```http solution\nGET /api\n```\n";
    let page = markdown::read(text, "a.md").unwrap_or_default();
    assert_eq!(page.blocks.iter().map(|block| block.role).collect::<Vec<_>>(), [Role::Example; 2]);
    assert_eq!(page.blocks.iter().map(Block::runs).collect::<Vec<_>>(), [false, true]);
}

/// Each step: the title, and the numbers of its check, questions, hints, solutions, wrong attempts and examples.
type Told<'t> = (&'t str, usize, [&'t [usize]; 5]);

#[track_caller]
fn check_steps(body: &str, expected: &[Told<'_>]) {
    let steps = steps(&blocks(body));
    let told: Vec<Told<'_>> = steps
        .iter()
        .map(|step| {
            let Step { questions, hints, solutions, wrong, examples, .. } = step;
            (&*step.title, step.check, [&**questions, hints, solutions, wrong, examples])
        })
        .collect();
    assert_eq!(told, expected, "{body}");
}

#[test]
fn steps_are_sections_with_a_check() {
    let get = "```http\nGET /api\n```\n\n";
    let check = "```check\nexpect: 'true'\n```\n\n";
    let solution = "```http solution\nGET /api\n```\n\n";
    let wrong = "```http wrong\nGET /apis\n```\n\n";
    check_steps(&[get, "## A\n\n", get].concat(), &[]);
    check_steps(&["# A\n\n", check, solution].concat(), &[]);
    check_steps(&[check, solution].concat(), &[]);
    check_steps(
        &[get, "## A\n\n", get, check, wrong, solution, solution, "## B\n\n", get].concat(),
        &[("A", 2, [&[], &[], &[4, 5], &[3], &[1]])],
    );
    let extra = "```question\na\n- [ ] b\n- [x] c\n```\n\n```hint\nd\n```\n\n";
    check_steps(
        &["## A\n\n### A\n\n", extra, check, solution, "### A\n\n", solution, check].concat(),
        &[("A", 2, [&[0], &[1], &[3], &[], &[]]), ("A", 5, [&[], &[], &[4], &[], &[]])],
    );
}

#[test]
fn solutions_are_no_examples() {
    let body = "## A\n\n```http\nGET /api\n```\n\n```http solution\nGET /apis\n```\n\n```\n200 OK\n```\n\n```yaml solution\napiVersion: v1\nkind: Pod\n```\n\n```shell solution\nkubectl apply -f pod.yaml\n```\n\n```yaml solution\napiVersion: v1\nkind: Pod\n```\n\n```shell\nkubectl apply -f pod.yaml\n```\n";
    let blocks = blocks(body);
    let told: Vec<_> = blocks.iter().map(|block| (block.runs(), block.can_run())).collect();
    // The response is that of no block; the second manifest is the solution's file, the third is not the example's.
    let expected = [
        (true, true),
        (false, true),
        (false, false),
        (false, false),
        (false, true),
        (false, true),
        (true, true),
    ];
    assert_eq!(told, expected);
    let Content::Http(exchanges) = &blocks[0].content else { panic!("it is a request") };
    assert_eq!(exchanges[0].documented, None);
}

/// The text, the choices and the explanation of a question.
type ToldQuestion<'t> = (&'t str, &'t [(&'t str, bool)], &'t str);

#[test]
fn questions() {
    let check = |text: &str, expected: Result<ToldQuestion<'_>, (usize, &str)>| {
        let found = Question::read(&block("question", text));
        match (&found, expected) {
            (Err(problem), Err((line, part))) => {
                assert!(problem.line == line && problem.text.contains(part), "{problem:?}");
            }
            (Ok(found), Ok((text, choices, explanation))) => {
                let told: Vec<_> = found.choices.iter().map(|choice| (&*choice.text, choice.right)).collect();
                assert_eq!((&*found.text, &*told, &*found.explanation), (text, choices, explanation));
            }
            _ => panic!("{text}: {found:?}"),
        }
    };
    check("What?\n- [ ] a\n- [x] b\nSo.\n", Ok(("What?", &[("a", false), ("b", true)], "So.")));
    check(
        "What\nis it?\n\n* [X] a\n  b\n* [] c: [d](e)\n\nSo.\n\n  And so.",
        Ok(("What\nis it?", &[("a b", true), ("c: [d](e)", false)], "So.\n\nAnd so.")),
    );
    check("What?\n- [x] a\n- [x] b", Ok(("What?", &[("a", true), ("b", true)], "")));
    check("- [x] a\n- [ ] b", Err((1, "no text before its choices")));
    check("What?\n- [x] a", Err((1, "two choices at least")));
    check("What?\n- a\n- b", Err((1, "two choices at least")));
    check("What?\n- [ ] a\n- [ ] b", Err((1, "No choice of the question is right")));
    check("What?\n- [x] a\nSo.\n- [ ] b", Err((5, "before the explanation")));
    check("What?\n- [x] a\n- [ ]", Err((4, "no text")));
    check("", Err((1, "no text before")));
}

/// The number of objects of a check, its expressions and their sentences.
type ToldCheck<'t> = (usize, &'t [(&'t str, &'t str)]);

#[test]
fn checks() {
    let check = |text: &str, expected: Result<ToldCheck<'_>, (usize, &str)>| {
        let found = Check::read(&block("check", text));
        match (&found, expected) {
            (Err(problem), Err((line, part))) => {
                assert!(problem.line == line && problem.text.contains(part), "{problem:?}");
            }
            (Ok(found), Ok((objects, expected))) => {
                let told: Vec<_> = found
                    .expect
                    .iter()
                    .map(|part| (&*part.expect, part.tell.as_deref().unwrap_or_default()))
                    .collect();
                assert_eq!((found.objects.len(), &*told), (objects, expected), "{text}");
            }
            _ => panic!("{text}: {found:?}"),
        }
    };
    check("expect: a == 1", Ok((0, &[("a == 1", "")])));
    check("objects: [/api, /apis]\nexpect: |\n  a ||\n  b\n", Ok((2, &[("a ||\nb\n", "")])));
    check("expect:\n- expect: a\n  tell: Not yet.\n- expect: b", Ok((0, &[("a", "Not yet."), ("b", "")])));
    check("", Err((2, "missing field `expect`")));
    check("expect: []", Err((1, "it expects nothing")));
    check("expect: true", Err((2, "an expression, or a list of `expect` and `tell`")));
    check("expect: a\nobject: [/api]", Err((3, "unknown field `object`")));
    check("expect:\n- expect: a\n  say: b", Err((4, "unknown field `say`")));
    check("expect:\n- tell: a", Err((3, "missing field `expect`")));
    check("expect: a\nobjects: [api]", Err((1, "\"api\" is no path")));
    check("expect: 'a", Err((2, "The check cannot be read")));
    check(&["objects: [", &"/a,".repeat(51), "]\nexpect: a"].concat(), Err((1, "more than 50 parts")));
}

#[track_caller]
fn check_problems(body: &str, expected: &[(usize, &str)]) {
    let problems = problems(&blocks(body));
    assert_eq!(problems.len(), expected.len(), "{problems:?}");
    for (problem, (line, part)) in problems.iter().zip(expected) {
        assert!(problem.line == *line && problem.text.contains(part), "{problem:?}");
    }
}

#[test]
fn what_has_to_be_mended_is_told_with_its_line() {
    let check = "```check\nexpect: 'true'\n```\n\n";
    let solution = "```http solution\nGET /api\n```\n\n";
    check_problems(&["## A\n\n", check, solution].concat(), &[]);
    check_problems(
        &[check, "## A\n\n", solution].concat(),
        &[(4, "below a heading"), (10, "The solution belongs to no step")],
    );
    check_problems(&["## A\n\n", check].concat(), &[(6, "The step \"A\" has no solution")]);
    check_problems(&["## A\n\n", check, check, solution].concat(), &[(10, "A step has one check")]);
    check_problems("```hint\na\n```\n", &[(4, "The hint belongs to no step")]);
    check_problems(&["## A\n\n```hint\n```\n\n", check, solution].concat(), &[(6, "The hint is empty")]);
    check_problems("```question\na\n```\n", &[(4, "two choices")]);
    check_problems(
        &["## A\n\n", check, solution, "```http wrong\nGET /apis/GROUP\n```\n\n```go solution\nx\n```\n\n```http wrong\n200 OK\n```\n\n```shell solution\nkubectl exec -it web -- sh\n```\n"].concat(),
        &[
            (14, "The wrong attempt does not run: GROUP stands for"),
            (18, "The solution does not run: It is no request"),
            (22, "The wrong attempt does not run: It is a response"),
            (26, "The solution does not run: `kubectl exec`"),
        ],
    );
    check_problems(
        &["## A\n\n```check\nexpekt: a\n```\n\n", solution].concat(),
        &[(7, "unknown field `expekt`")],
    );
}
