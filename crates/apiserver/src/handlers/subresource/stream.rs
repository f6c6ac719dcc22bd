//! `exec`, `attach` and `portforward`: connections that are passed on to a kubelet.
//!
//! See <https://kubernetes.io/docs/concepts/architecture/control-plane-node-communication/#control-plane-to-node>.

use std::sync::Arc;

use futures::StreamExt;
use futures::stream::iter;
use golang::strconv::{parse_uint, quote};
use http::HeaderName;
use json_tree::Value;

use super::connect::{container, find, kubelet_address, node_name, query, refusal, reviewed};
use super::log;
use crate::answer::{Answer, Outcome};
use crate::auth;
use crate::context::RequestContext;
use crate::kubelet::{Kubelet, Output, Process, Streams};
use crate::upgrade::{self, FORWARD, HandshakeError, REMOTE_COMMAND, RemoteCommand, Upgrade};
use apimachinery::object::Object;
use apimachinery::status::{Status, Subject};

/// The most ports that one connection forwards: each has two channels, whose numbers have one byte.
const MOST_PORTS: usize = 127;

/// The header of the protocols over SPDY that a server would have spoken.
const ACCEPTED: HeaderName = HeaderName::from_static("x-accepted-stream-protocol-versions");

/// Connects to a command that is run in a container.
pub(super) async fn exec(context: &RequestContext<'_>) -> Outcome {
    let words: Vec<String> = context.query.all("command").map(str::to_owned).collect();
    let find = |resource: &str, name: &str| find(context.shared, &context.target.namespace, resource, name);
    let run = |kubelet: &Arc<dyn Kubelet>, pod: &Value, container: &str, streams| {
        kubelet.exec(pod, container, words.clone(), streams, &find)
    };
    connect(context, RemoteCommand::Exec(words.clone()), run).await
}

/// Connects to the process of a container.
pub(super) async fn attach(context: &RequestContext<'_>) -> Outcome {
    let run = |kubelet: &Arc<dyn Kubelet>, pod: &Value, container: &str, _| {
        let output = log::output(context, pod, kubelet.attach(pod, container)?);
        let process: Process =
            Box::new(|_| Box::pin(output.map(Output::Stdout).chain(iter([Output::End(Ok(0))]))));
        Ok(process)
    };
    connect(context, RemoteCommand::Attach, run).await
}

/// Connects to a process.
async fn connect(
    context: &RequestContext<'_>,
    command: RemoteCommand,
    run: impl Fn(&Arc<dyn Kubelet>, &Value, &str, Streams) -> Result<Process, String>,
) -> Outcome {
    let pod = admit(context)?;
    let container = container(&pod, &context.target.name, context.query.text("container"))?;
    let (address, kubelet) = find_kubelet(context, &pod)?;
    let (pod, streams) = (Value::Object(pod), streams(context));
    let negotiated = REMOTE_COMMAND.negotiate(context.headers);
    if let Ok(protocol) = negotiated
        && protocol.is_translated
    {
        // Its client has been told of the connection before anything else can be told.
        let path = path(context, &container, &command, streams);
        let unreachable =
            || format!("error sending request: Post \"https://{address}{path}\": {}", refusal(&address));
        let process = kubelet.ok_or_else(unreachable).and_then(|kubelet| {
            let process = wanted(streams).and_then(|streams| run(&kubelet, &pod, &container, streams));
            process.map_err(|why| ["unable to upgrade connection: ", &why].concat())
        });
        return Ok(switch(upgrade::remote_command(protocol, streams, command, process)));
    }
    let kubelet = kubelet.ok_or_else(|| unreachable(&address))?;
    let streams = match wanted(streams) {
        Ok(streams) => streams,
        Err(why) => return Ok(Answer::text(400, why)),
    };
    let process = match run(&kubelet, &pod, &container, streams) {
        Ok(process) => process,
        Err(why) => return Ok(Answer::text(500, why)),
    };
    Ok(match negotiated {
        Ok(protocol) => switch(upgrade::remote_command(protocol, streams, command, Ok(process))),
        Err(error) => refuse(error),
    })
}

/// Connects to ports of a pod.
pub(super) async fn portforward(context: &RequestContext<'_>) -> Outcome {
    let numbers = port_numbers(context.query.all("ports")).map_err(Status::bad_request)?;
    reviewed(context, forward(context, numbers)).await
}

/// Connects to ports with some numbers of a pod.
async fn forward(context: &RequestContext<'_>, numbers: Vec<u16>) -> Outcome {
    let (pod, name) = (admit(context)?, context.target.name.clone());
    let (address, kubelet) = find_kubelet(context, &pod)?;
    let kubelet = kubelet.ok_or_else(|| unreachable(&address))?;
    let protocol = match FORWARD.negotiate(context.headers) {
        Ok(protocol) => protocol,
        Err(error) => return Ok(refuse(error)),
    };
    // Over SPDY, each stream names its port.
    if !protocol.is_spdy
        && let Err(why) = check_ports(&numbers)
    {
        return Ok(Answer::text(400, why));
    }
    let pod = Value::Object(pod);
    let dial = move |port: u16| {
        let uid = pod.pointer("/metadata/uid").and_then(Value::as_str).unwrap_or_default();
        let failed = |why| format!("error forwarding port {port} to pod {name}, uid {uid}: {why}");
        kubelet.dial(&pod, port).map_err(failed)
    };
    Ok(switch(upgrade::forward(protocol, numbers, Box::new(dial))))
}

/// Returns the response that switches to another protocol, or refuses to, where that is not spoken.
fn switch(upgrade: Option<Upgrade>) -> Answer {
    upgrade.map_or_else(|| Answer::empty(403), Answer::upgrade)
}

/// Returns the response to a client with which no protocol is spoken.
fn refuse(error: HandshakeError) -> Answer {
    let HandshakeError { code, text, accepted } = error;
    if text.is_empty() {
        return Answer::empty(code);
    }
    accepted.into_iter().fold(Answer::text(code, text), |answer, name| answer.with(ACCEPTED, name))
}

/// Returns the pod that a connection is for, if its client may connect to it.
///
/// # Errors
/// A policy or the authorizer refuses it, or there is no such pod.
fn admit(context: &RequestContext<'_>) -> Result<Object, Box<Status>> {
    // Whoever may only read does not run commands by a GET.
    if context.attributes.verb != "create"
        && let Err(reason) =
            auth::decide(context.shared, context.user, &context.attributes.with_verb("create"))
    {
        let subject = Subject { group: "", resource: "pods", name: &context.target.name };
        return Err(Status::forbidden(subject, &reason));
    }
    Ok(context.read_parent()?.tree())
}

/// The address of a kubelet, and the kubelet, if it listens there.
type Found = (String, Option<Arc<dyn Kubelet>>);

/// Returns the address of the kubelet of a pod's node, and the kubelet, if it listens there.
///
/// # Errors
/// The pod has no node, that has no address, or the request does not ask for another protocol.
fn find_kubelet(context: &RequestContext<'_>, pod: &Object) -> Result<Found, Box<Status>> {
    let node = node_name(pod);
    if node.is_empty() {
        let why = format!("pod {} does not have a host assigned", context.target.name);
        return Err(Status::bad_request(why));
    }
    let address = kubelet_address(context, node)?;
    // Nobody connects to what was.
    if !upgrade::is_asked_for(context.headers) || context.at.is_some() {
        return Err(Status::bad_request("Upgrade request required"));
    }
    Ok((address, context.shared.kubelets.at(node)))
}

fn streams(context: &RequestContext<'_>) -> Streams {
    let set = |key| context.query.boolean(key).unwrap_or_default();
    Streams { stdin: set("stdin"), stdout: set("stdout"), stderr: set("stderr"), tty: set("tty") }
}

/// Returns the streams that a kubelet gives: a terminal has one output.
///
/// # Errors
/// None is wanted.
fn wanted(streams: Streams) -> Result<Streams, String> {
    let streams = Streams { stderr: streams.stderr && !streams.tty, ..streams };
    let any = streams.stdin || streams.stdout || streams.stderr;
    any.then_some(streams).ok_or_else(|| "you must specify at least 1 of stdin, stdout, stderr".to_owned())
}

/// Returns the path and the query of the request to a kubelet.
fn path(context: &RequestContext<'_>, container: &str, command: &RemoteCommand, streams: Streams) -> String {
    let (action, words) = match command {
        RemoteCommand::Exec(words) => ("exec", words.as_slice()),
        RemoteCommand::Attach => ("attach", &[][..]),
    };
    let (namespace, name) = (&context.target.namespace, &context.target.name);
    format!("/{action}/{namespace}/{name}/{container}{}", query(parameters(words, streams)))
}

fn parameters(words: &[String], streams: Streams) -> impl Iterator<Item = (&'static str, String)> {
    let Streams { stdin, stdout, stderr, tty } = streams;
    let flags = [("error", stderr), ("input", stdin), ("output", stdout), ("tty", tty)];
    let flags = flags.into_iter().filter(|(_, set)| *set).map(|(key, _)| (key, "1".to_owned()));
    words.iter().map(|word| ("command", word.clone())).chain(flags)
}

/// Returns the numbers of the ports that are asked for.
///
/// # Errors
/// The text of kube-apiserver about one that is no number of 16 bits.
fn port_numbers<'a>(ports: impl Iterator<Item = &'a str>) -> Result<Vec<u16>, String> {
    let number = |text: &str| {
        let number = parse_uint(text).and_then(|number| {
            let why = || format!("strconv.ParseUint: parsing {}: value out of range", quote(text));
            u16::try_from(number).map_err(|_| why())
        });
        number.map_err(|why| ["cannot convert to []int32: ", &why].concat())
    };
    ports.flat_map(|ports| ports.split(',')).map(number).collect()
}

/// Checks ports as a kubelet does.
///
/// # Errors
/// The text of the kubelet.
fn check_ports(ports: &[u16]) -> Result<(), String> {
    if ports.is_empty() {
        return Err("query parameter \"port\" is required".to_owned());
    }
    if ports.contains(&0) {
        let all: Vec<_> = ports.iter().map(ToString::to_string).collect();
        return Err(format!("port {} must be > 0", quote(&all.join(","))));
    }
    if ports.len() > MOST_PORTS {
        return Err(format!("no more than {MOST_PORTS} ports can be forwarded by one connection"));
    }
    Ok(())
}

fn unreachable(address: &str) -> Box<Status> {
    Status::unclassified(["error dialing backend: ", &refusal(address)].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_of_requests_to_kubelets() {
        let of = |words: &[&str], streams| {
            let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            query(parameters(&words, streams))
        };
        assert_eq!(of(&[], Streams::default()), "");
        assert_eq!(of(&["ls"], Streams::default()), "?command=ls");
        let all = Streams { stdin: true, stdout: true, stderr: true, tty: true };
        assert_eq!(of(&["a b", "&"], all), "?command=a+b&command=%26&error=1&input=1&output=1&tty=1");
    }

    #[test]
    fn ports() {
        #[track_caller]
        fn check(ports: &[&str], expected: Result<&[u16], &str>) {
            let found =
                port_numbers(ports.iter().copied()).and_then(|ports| check_ports(&ports).map(|()| ports));
            assert_eq!(found.as_deref().map_err(String::as_str), expected);
        }

        check(&["80,81", "82"], Ok(&[80, 81, 82]));
        check(&[], Err("query parameter \"port\" is required"));
        check(&["80,0"], Err("port \"80,0\" must be > 0"));
        let syntax = "cannot convert to []int32: strconv.ParseUint: parsing \"x\": invalid syntax";
        check(&["80,x"], Err(syntax));
        let range = "cannot convert to []int32: strconv.ParseUint: parsing \"70000\": value out of range";
        check(&["70000"], Err(range));
        check(&["1"; 128], Err("no more than 127 ports can be forwarded by one connection"));
    }

    #[test]
    fn terminals_have_one_output() {
        let of = |stdout, stderr, tty| wanted(Streams { stdin: false, stdout, stderr, tty });
        assert_eq!(of(true, true, true), of(true, false, true));
        assert!(of(true, true, false).is_ok_and(|streams| streams.stderr));
        assert!(of(false, true, true).is_err());
    }
}
