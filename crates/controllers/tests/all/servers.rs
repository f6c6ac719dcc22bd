//! Servers in containers: what is read from them through the proxies of pods and services.

use apiserver::Body;
use bytes::Bytes;
use futures::executor::block_on;
use http::Request;
use json_tree::{Value, json};

use crate::cluster::Cluster;
use crate::cluster::pods::{JSON, PODS, cluster};
use crate::volumes::{container, make, run, seconds};

/// Makes a pod that runs, with containers that mount a volume `v`.
fn make_pod(cluster: &mut Cluster, name: &str, volume: &Value, containers: &Value) {
    make(cluster, name, volume, &json!({"containers": containers}));
    cluster.wait(seconds(5));
}

/// Checks the response to a request: the code, where it leads to, and the begin of its text.
#[track_caller]
fn check(cluster: &Cluster, request: &str, expected: &str) {
    let (method, path) = request.split_once(' ').unwrap();
    let request = Request::builder().method(method).uri(["/api/v1/namespaces/default/", path].concat());
    let response = block_on(cluster.server.call(request.body(Bytes::new()).unwrap()));
    let code = response.status().as_u16();
    let location = response.headers().get("location").map(|value| value.to_str().unwrap().to_owned());
    let Body::Bytes(bytes) = response.into_body() else { panic!("no bytes") };
    let text = String::from_utf8(bytes.to_vec()).unwrap();
    let message = serde_json::from_str::<Value>(&text).map(|status| status.text("message").to_owned());
    let text = location.unwrap_or_else(|| message.unwrap_or(text));
    assert!(format!("{code} {text}").starts_with(expected), "{path}: {code} {text}");
}

#[test]
fn servers_of_images() {
    let mut cluster = cluster(1);
    make_pod(&mut cluster, "p", &json!({"emptyDir": {}}), &json!([{"name": "c", "image": "nginx"}]));
    check(&cluster, "GET pods/p/proxy", "301 /api/v1/namespaces/default/pods/p/proxy/");
    check(&cluster, "GET pods/p/proxy?a=b", "301 /api/v1/namespaces/default/pods/p/proxy/?a=b");
    check(&cluster, "GET pods/p/proxy/", "200 <h1>Welcome to nginx!</h1>");
    check(&cluster, "HEAD pods/p:80/proxy/", "200 ");
    check(&cluster, "GET pods/http:p:80/proxy/none", "404 <h1>404 Not Found</h1>");
    check(&cluster, "GET pods/http%3Ap%3A80/proxy/proxy/", "404 <h1>404 Not Found</h1>");
    check(&cluster, "POST pods/p/proxy/", "405 <h1>405 Method Not Allowed</h1>");
    let refused = "503 error trying to reach service: dial tcp 10.244.1.2:81: connect: connection refused";
    check(&cluster, "GET pods/p:81/proxy/", refused);
    let tls = "503 error trying to reach service: http: server gave HTTP response to HTTPS client";
    check(&cluster, "GET pods/https:p:80/proxy/", tls);
    run(&cluster, "p", "mkdir /usr/share/nginx/html/d; echo hi > /usr/share/nginx/html/d/index.html");
    check(&cluster, "GET pods/p/proxy/d", "301 /api/v1/namespaces/default/pods/p/proxy/d/");
    check(&cluster, "GET pods/p/proxy/d/", "200 hi\n");
    run(&cluster, "p", "rm -r /usr/share/nginx/html/d");
    check(&cluster, "GET pods/p/proxy/d/", "404 ");
}

#[test]
fn servers_of_others() {
    let mut cluster = cluster(1);
    let port = json!([{"containerPort": 8080}]);
    let volume = json!({"emptyDir": {}});
    make_pod(&mut cluster, "p", &volume, &json!([{"name": "c", "image": "app", "ports": port}]));
    check(
        &cluster,
        "GET pods/p/proxy/a?b=c",
        "200 pod: p\ncontainer: c\nport: 8080\n\nGET /a?b=c HTTP/1.1\r\n",
    );
    check(&cluster, "PUT pods/p/proxy", "200 pod: p\ncontainer: c\nport: 8080\n\nPUT / HTTP/1.1\r\n");
    // One container writes what the other one serves.
    let writer =
        container("d", "echo Hello > /v/index.html; sleep 20; echo Again > /v/index.html; sleep 600");
    let mounts = json!([{"name": "v", "mountPath": "/usr/share/nginx/html"}]);
    let web = json!({"name": "web", "image": "nginx", "volumeMounts": mounts});
    make_pod(&mut cluster, "two", &volume, &json!([web, writer]));
    check(&cluster, "GET pods/two/proxy/", "200 Hello\n");
    cluster.wait(seconds(20));
    check(&cluster, "GET pods/two/proxy/", "200 Again\n");
    check(&cluster, "GET pods/two/proxy/50x.html", "404 ");
}

#[test]
fn services() {
    let mut cluster = cluster(1);
    make_pod(&mut cluster, "p", &json!({"emptyDir": {}}), &json!([{"name": "c", "image": "httpd"}]));
    let label = json!({"metadata": {"labels": {"app": "x"}}});
    cluster.send("PATCH", &[PODS, "/p"].concat(), &label, "application/merge-patch+json");
    let spec = json!({"selector": {"app": "x"}, "ports": [{"port": 8000, "targetPort": 80}]});
    cluster.send(
        "POST",
        "/api/v1/namespaces/default/services",
        &json!({"metadata": {"name": "s"}, "spec": spec}),
        JSON,
    );
    cluster.settle();
    check(&cluster, "GET services/s:8000/proxy/", "200 <html><body><h1>It works!</h1></body></html>");
    check(&cluster, "GET services/s/proxy/none", "404 ");
    check(&cluster, "GET services/s/proxy", "301 /api/v1/namespaces/default/services/s/proxy/");
}
