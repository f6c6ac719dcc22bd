//! A document may have so many objects and values, and so many of its errors are told.

use crate::common::{Cluster, read};
use json_tree::Value;

const PATH: &str = "/api/v1/namespaces/default";

/// Sends a POST, and gives the status code, the message and the number of causes of its response.
fn post(path: &str, media_type: &str, body: impl Into<bytes::Bytes>) -> (u16, String, usize) {
    let cluster = Cluster::new();
    let request = http::Request::post(format!("{PATH}/{path}")).header("content-type", media_type);
    let (code, answer) = read(&cluster.send(request.body(body.into()).expect("a request")));
    let causes = answer["details"]["causes"].as_array().map_or(0, Vec::len);
    (code, answer["message"].as_str().unwrap_or_default().to_owned(), causes)
}

#[track_caller]
fn check(path: &str, media_type: &str, body: impl Into<bytes::Bytes>, code: u16, message: &str) {
    let (found, text, _) = post(path, media_type, body);
    let end = text.char_indices().nth_back(200).map_or(0, |(at, _)| at);
    assert!(found == code && text.ends_with(message), "{found}: …{}", &text[end..]);
}

fn pod(containers: &str) -> String {
    format!("{{\"metadata\":{{\"name\":\"a\"}},\"spec\":{{\"containers\":[{containers}]}}}}")
}

#[test]
fn documents_have_so_many_objects_and_values() {
    const OBJECTS: &str = "the document is too large: it has more than 65536 objects";
    const VALUES: &str = "the document is too large: it has more than 786432 values";
    check("pods", "application/json", pod(&["{}"; 70_000].join(",")), 400, OBJECTS);
    check("pods", "application/json", pod(&["null"; 70_000].join(",")), 400, OBJECTS);
    check("pods", "application/yaml", pod(&["{}"; 70_000].join(",")), 400, OBJECTS);
    let arguments = vec!["\"\""; 800_000].join(",");
    check("pods", "application/json", pod(&format!("{{\"args\":[{arguments}]}}")), 400, VALUES);
    // Two bytes of Protobuf are an empty container: what is told of it ends in the same words.
    let (name, spec) = (b"\x0a\x03\x0a\x01a".to_vec(), b"\x12\x00".repeat(70_000));
    let length =
        [(spec.len() & 127) as u8 | 128, (spec.len() >> 7 & 127) as u8 | 128, (spec.len() >> 14) as u8];
    let object = [&name[..], b"\x12", &length, &spec].concat();
    let outer =
        [(object.len() & 127) as u8 | 128, (object.len() >> 7 & 127) as u8 | 128, (object.len() >> 14) as u8];
    let body = [&b"k8s\0\x0a\x09\x0a\x02v1\x12\x03Pod\x12"[..], &outer, &object].concat();
    check("pods", "application/vnd.kubernetes.protobuf", body, 400, OBJECTS);
}

#[test]
fn yaml_has_so_many_nodes() {
    let zeros = vec!["0"; 600_000].join(",");
    let body = format!("{{\"metadata\":{{\"name\":\"a\"}},\"data\":[{zeros}]}}");
    let message = post("configmaps", "application/yaml", body).1;
    assert!(message.contains("the document is too large: it has more than 500000 nodes"), "{message}");
}

#[test]
fn so_many_errors_are_told() {
    let labels = |count: usize| {
        let labels: Vec<String> = (0..count).map(|number| format!("\"-{number}\":\"\"")).collect();
        format!("{{\"metadata\":{{\"name\":\"a\",\"labels\":{{{}}}}}}}", labels.join(","))
    };
    let (code, message, causes) = post("configmaps", "application/json", labels(10_000));
    assert!(code == 422 && causes == 10_000 && message.ends_with(']'), "{code}, {causes}");
    let (code, message, causes) = post("configmaps", "application/json", labels(30_000));
    let cut = message.ends_with("], and more errors, which are left out");
    assert!(code == 422 && causes == 10_000 && cut, "{code}, {causes}");
}

#[test]
fn fields_that_stand_twice_are_merged_in_linear_time() {
    let entries = |order: &mut dyn Iterator<Item = usize>| {
        order.map(|number| format!("\"k{number}\":\"\"")).collect::<Vec<_>>().join(",")
    };
    let (up, down) = (entries(&mut (0..60_000)), entries(&mut (0..60_000).rev()));
    let body = format!("{{\"metadata\":{{\"name\":\"a\"}},\"data\":{{{up}}},\"data\":{{{down}}}}}");
    let cluster = Cluster::new();
    let (code, object) = read(&cluster.request(&format!("POST {PATH}/configmaps?dryRun=All"), body));
    assert_eq!((code, object["data"].as_object().map_or(0, |data| data.len())), (201, 60_000));
    assert_eq!(object["data"]["k59999"], Value::from(""));
}
