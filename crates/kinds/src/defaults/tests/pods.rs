//! The defaults that pods, their containers and volumes get, and those that templates of pods do not.

use crate::defaults::apply;

use super::{builtin, check, check_at, parse, same, type_of};

const CONTAINER: &str = "/spec/containers/0";

#[test]
fn containers() {
    check_at(
        "v1",
        "Pod",
        CONTAINER,
        r#"{"name":"c","image":"x:1","resources":{}}"#,
        r#"{"name":"c","image":"x:1","resources":{},"terminationMessagePath":"/dev/termination-log",
            "terminationMessagePolicy":"File","imagePullPolicy":"IfNotPresent"}"#,
    );
    check_at(
        "v1",
        "Pod",
        CONTAINER,
        r#"{"name":"c","ports":[{"containerPort":80},{"containerPort":81,"protocol":"UDP"}],
            "terminationMessagePath":"/x","terminationMessagePolicy":"","imagePullPolicy":"Never",
            "stdin":true}"#,
        r#"{"name":"c","ports":[{"containerPort":80,"protocol":"TCP"},{"containerPort":81,"protocol":"UDP"}],
            "terminationMessagePath":"/x","terminationMessagePolicy":"File","imagePullPolicy":"Never",
            "stdin":true}"#,
    );
    check_at(
        "v1",
        "Pod",
        "/spec/ephemeralContainers/0",
        r#"{"name":"e","image":"x","targetContainerName":"c"}"#,
        r#"{"name":"e","image":"x","terminationMessagePath":"/dev/termination-log",
            "terminationMessagePolicy":"File","imagePullPolicy":"Always","targetContainerName":"c"}"#,
    );
}

#[test]
fn probes_and_environment() {
    check_at(
        "apps/v1",
        "Deployment",
        "/spec/template/spec/initContainers/0/livenessProbe",
        r#"{"httpGet":{"port":80}}"#,
        r#"{"httpGet":{"path":"/","port":80,"scheme":"HTTP"},"timeoutSeconds":1,"periodSeconds":10,
            "successThreshold":1,"failureThreshold":3}"#,
    );
    check_at(
        "v1",
        "Pod",
        "/spec/containers/0/startupProbe",
        r#"{"grpc":{"port":1},"timeoutSeconds":9}"#,
        r#"{"grpc":{"port":1,"service":""},"timeoutSeconds":9,"periodSeconds":10,"successThreshold":1,
            "failureThreshold":3}"#,
    );
    check_at(
        "v1",
        "Pod",
        "/spec/containers/0/lifecycle/preStop/httpGet",
        r#"{"path":"/bye","port":"web"}"#,
        r#"{"path":"/bye","port":"web","scheme":"HTTP"}"#,
    );
    check_at(
        "v1",
        "Pod",
        "/spec/containers/0/env/0/valueFrom/fieldRef",
        r#"{"fieldPath":"metadata.name"}"#,
        r#"{"apiVersion":"v1","fieldPath":"metadata.name"}"#,
    );
}

#[test]
fn pods_and_their_templates() {
    check(
        "v1",
        "Pod",
        r#"{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a"},"spec":{"containers":[]},"status":{}}"#,
        r#"{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a"},"spec":{"containers":[],
            "restartPolicy":"Always","terminationGracePeriodSeconds":30,"dnsPolicy":"ClusterFirst",
            "securityContext":{},"schedulerName":"default-scheduler","enableServiceLinks":true},
            "status":{}}"#,
    );
    check(
        "v1",
        "PodTemplate",
        r#"{"metadata":{},"template":{"metadata":{},"spec":{"containers":null}}}"#,
        r#"{"metadata":{},"template":{"metadata":{},"spec":{"containers":null,"restartPolicy":"Always",
            "terminationGracePeriodSeconds":30,"dnsPolicy":"ClusterFirst","securityContext":{},
            "schedulerName":"default-scheduler"}}}"#,
    );
    check(
        "v1",
        "Pod",
        r#"{"spec":{"containers":null,"terminationGracePeriodSeconds":-1,"serviceAccount":"old"}}"#,
        r#"{"spec":{"containers":null,"restartPolicy":"Always","terminationGracePeriodSeconds":1,
            "dnsPolicy":"ClusterFirst","serviceAccountName":"old","serviceAccount":"old",
            "securityContext":{},"schedulerName":"default-scheduler","enableServiceLinks":true}}"#,
    );
    check(
        "v1",
        "Pod",
        r#"{"spec":{"serviceAccountName":"new","serviceAccount":"old","hostNetwork":true,
            "enableServiceLinks":false}}"#,
        r#"{"spec":{"restartPolicy":"Always","terminationGracePeriodSeconds":30,
            "dnsPolicy":"ClusterFirst","serviceAccountName":"new","serviceAccount":"new","hostNetwork":true,
            "securityContext":{},"schedulerName":"default-scheduler","enableServiceLinks":false}}"#,
    );
}

#[test]
fn host_ports_are_for_pods_in_the_hosts_network() {
    let container = |port: &str| {
        format!(
            r#"{{"containers":[{{"name":"c","image":"i","ports":[{port}],"resources":{{}},
                "terminationMessagePath":"p","terminationMessagePolicy":"File","imagePullPolicy":"Never"}}],
                "restartPolicy":"Never","terminationGracePeriodSeconds":0,"dnsPolicy":"None",
                "hostNetwork":true,
                "securityContext":{{}},"schedulerName":"s","enableServiceLinks":true}}"#
        )
    };
    check_at(
        "v1",
        "Pod",
        "/spec",
        &container(r#"{"containerPort":80}"#),
        &container(r#"{"hostPort":80,"containerPort":80,"protocol":"TCP"}"#),
    );
}

#[test]
fn requests_come_from_limits() {
    check_at(
        "v1",
        "Pod",
        "/spec/containers/0/resources",
        r#"{"limits":{"cpu":"1n","memory":"1Gi"},"requests":{"ephemeral-storage":"1","memory":"1Mi"}}"#,
        r#"{"limits":{"cpu":"1m","memory":"1Gi"},
            "requests":{"cpu":"1m","ephemeral-storage":"1","memory":"1Mi"}}"#,
    );
    check_at(
        "batch/v1",
        "Job",
        "/spec/template/spec/containers/0/resources",
        r#"{"limits":{"cpu":"1"}}"#,
        r#"{"limits":{"cpu":"1"}}"#,
    );
}

#[test]
fn pod_level_requests_come_from_containers_and_limits() {
    let pod = |containers: &str, resources: &str| {
        let mut object = parse(&format!(r#"{{"spec":{{{containers},"resources":{resources}}}}}"#));
        apply(builtin(), type_of("v1", "Pod"), &mut object);
        object.pointer("/spec/resources").cloned().unwrap_or_default()
    };
    let containers = r#""initContainers":[
            {"name":"side","restartPolicy":"Always","resources":{"requests":{"cpu":"100m"}}},
            {"name":"once","resources":{"requests":{"cpu":"2"},"limits":{"hugepages-2Mi":"4Mi"}}}],
        "containers":[{"name":"a","resources":{"requests":{"cpu":"1"}}},
            {"name":"b","resources":{"requests":{"cpu":"250m","example.com/gpu":"1"}}}]"#;
    same(
        &pod(containers, r#"{"limits":{"cpu":"3","memory":"1Gi"}}"#),
        &parse(
            r#"{"limits":{"cpu":"3","hugepages-2Mi":"4Mi","memory":"1Gi"},
                "requests":{"cpu":"2100m","hugepages-2Mi":"4Mi","memory":"1Gi"}}"#,
        ),
        "aggregated",
    );
    same(&pod(containers, "{}"), &parse("{}"), "nothing of its own");
    let requests = r#"{"requests":{"cpu":"1","hugepages-2Mi":"2Mi"}}"#;
    same(&pod(containers, requests), &parse(requests), "requests only");
}

#[test]
fn volumes() {
    let check = |sent: &str, stored: &str| check_at("v1", "Pod", "/spec/volumes/0", sent, stored);
    check(r#"{"name":"v"}"#, r#"{"name":"v","emptyDir":{}}"#);
    check(r#"{"name":"v","secret":{}}"#, r#"{"name":"v","secret":{"defaultMode":420}}"#);
    check(
        r#"{"name":"v","configMap":{"name":"c","defaultMode":0}}"#,
        r#"{"name":"v","configMap":{"name":"c","defaultMode":0}}"#,
    );
    check(r#"{"name":"v","hostPath":{"path":"/"}}"#, r#"{"name":"v","hostPath":{"path":"/","type":""}}"#);
    check(
        r#"{"name":"v","projected":{"sources":[{"serviceAccountToken":{"path":"t"}},
            {"downwardAPI":{"items":[{"path":"n","fieldRef":{"fieldPath":"metadata.name"}}]}}]}}"#,
        r#"{"name":"v","projected":{"sources":[{"serviceAccountToken":{"expirationSeconds":3600,"path":"t"}},
            {"downwardAPI":{"items":[{"path":"n","fieldRef":{"apiVersion":"v1",
            "fieldPath":"metadata.name"}}]}}],
            "defaultMode":420}}"#,
    );
    check(
        r#"{"name":"v","iscsi":{"targetPortal":"p","iqn":"q","lun":0}}"#,
        r#"{"name":"v","iscsi":{"targetPortal":"p","iqn":"q","lun":0,"iscsiInterface":"default"}}"#,
    );
    check(
        r#"{"name":"v","azureDisk":{"diskName":"d","diskURI":"u"}}"#,
        r#"{"name":"v","azureDisk":{"diskName":"d","diskURI":"u","cachingMode":"ReadWrite","fsType":"ext4",
            "readOnly":false,"kind":"Shared"}}"#,
    );
    check(
        r#"{"name":"v","image":{"reference":"x:1"}}"#,
        r#"{"name":"v","image":{"reference":"x:1","pullPolicy":"IfNotPresent"}}"#,
    );
    check(
        r#"{"name":"v","ephemeral":{"volumeClaimTemplate":{"metadata":{},"spec":{"resources":{}}}}}"#,
        r#"{"name":"v","ephemeral":{"volumeClaimTemplate":{"metadata":{},"spec":{"resources":{},
            "volumeMode":"Filesystem"}}}}"#,
    );
}
