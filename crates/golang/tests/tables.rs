//! Compares with Go's own results, which `tables/main.go` writes: see `tables/README.md`.

use std::collections::BTreeSet;
use std::fmt::{Display, Write as _};
use std::net::IpAddr;

use golang::netip::{self, Prefix};
use golang::strconv::{self, Digits};
use golang::time::{self, Layout, Time, Zone};
use golang::url::{self, Url};
use golang::{base64, net};

/// Checks each row of a table, which has so many functions: what a function, given the arguments, returns.
#[track_caller]
fn check(table: &str, functions: usize, answer: fn(&str, &[&str]) -> String) {
    let mut wrong = String::new();
    let mut found_functions = BTreeSet::new();
    for line in table.lines() {
        let row: Vec<String> = line.split('\t').map(unescape).collect();
        let row: Vec<&str> = row.iter().map(String::as_str).collect();
        let [function, arguments @ .., expected] = row.as_slice() else {
            panic!("a row without columns: {line}")
        };
        let found = answer(function, arguments);
        found_functions.insert((*function).to_owned());
        if found != *expected {
            let _ = writeln!(wrong, "{function} {arguments:?}\n  Go:   {expected}\n  here: {found}");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    assert_eq!(found_functions.len(), functions, "{found_functions:?}");
}

/// Reads a column: bytes stand there as `\xNN`.
fn unescape(column: &str) -> String {
    let mut pieces = column.split("\\x");
    let mut bytes = pieces.next().unwrap_or_default().as_bytes().to_vec();
    for piece in pieces {
        let (digits, rest) = piece.split_at(2);
        bytes.push(u8::from_str_radix(digits, 16).expect("two digits"));
        bytes.extend_from_slice(rest.as_bytes());
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn or_error<T: Display>(result: Result<T, String>) -> String {
    result.map_or_else(|why| ["error: ", &why].concat(), |value| value.to_string())
}

#[test]
fn texts_and_numbers() {
    check(include_str!("tables/strconv.txt"), 7, |function, arguments| {
        let float = |text| strconv::parse_float(text).unwrap_or_default();
        match (function, arguments) {
            ("Quote", [text]) => strconv::quote(text),
            ("IsPrint", [code]) => {
                let code = u32::from_str_radix(code, 16).expect("a code point");
                strconv::is_print(char::from_u32(code).expect("a character")).to_string()
            }
            ("ParseFloat", [text]) => {
                strconv::parse_float(text).map_or_else(|| "error".to_owned(), strconv::format_float)
            }
            ("FormatFixed", [text, precision]) => {
                strconv::format_fixed(float(text), precision.parse().expect("a number"))
            }
            ("ParseInt", [text]) => or_error(strconv::parse_int(text)),
            ("ParseUint", [text]) => or_error(strconv::parse_uint(text)),
            ("Atoi", [text]) => or_error(strconv::atoi(text)),
            _ => panic!("{function} is not known"),
        }
    });
    assert_eq!(Digits::of_f32(0.1).general(), "0.1");
}

#[test]
fn times() {
    check(include_str!("tables/time.txt"), 4, |function, arguments| {
        let number = |text: &str| text.parse::<i64>().expect("a number");
        match (function, arguments) {
            ("Parse", [layout, text]) => {
                let layout = match *layout {
                    "Rfc3339" => Layout::Rfc3339,
                    "Rfc3339Micro" => Layout::Rfc3339Micro,
                    "DateTime" => Layout::DateTime,
                    "DateOnly" => Layout::DateOnly,
                    _ => panic!("{layout} is not known"),
                };
                let time = time::parse(layout, text);
                or_error(time.map(|Time { seconds, nanos }| format!("{seconds}.{nanos:09}")))
            }
            ("Format", ["Rfc3339", seconds]) => Time::unix(number(seconds)).rfc3339(),
            ("Format", ["Rfc1123", seconds]) => Time::unix(number(seconds)).rfc1123(),
            ("ParseDuration", [text]) => or_error(time::parse_duration(text)),
            ("FormatDuration", [nanos]) => time::format_duration(number(nanos)),
            _ => panic!("{function} is not known"),
        }
    });
}

#[test]
fn zones() {
    check(include_str!("tables/zones.txt"), 2, |function, arguments| {
        let [zone, time] = *arguments else { panic!("{function} has two arguments") };
        let (zone, time) = (Zone::load(zone).expect(zone), time.parse().expect("a number"));
        let found = if function == "Zone" { zone.offset(time) } else { zone.at(time) };
        found.to_string()
    });
}

#[test]
fn addresses() {
    check(include_str!("tables/net.txt"), 4, |function, arguments| {
        let [text] = *arguments else { panic!("{function} has one argument") };
        match function {
            "ParseAddr" => {
                or_error(netip::parse_addr(text).map(|addr| format!("{} {}", addr.address, addr.zone)))
            }
            "Kinds" => {
                let address = netip::parse_addr(text).expect(text).address;
                let kinds: [fn(IpAddr) -> bool; 4] = [
                    netip::is_4_in_6,
                    netip::is_link_local_multicast,
                    netip::is_link_local_unicast,
                    netip::is_global_unicast,
                ];
                kinds.iter().map(|is| if is(address) { 't' } else { 'f' }).collect()
            }
            "ParsePrefix" => {
                or_error(Prefix::parse(text).map(|prefix| format!("{prefix} {}", prefix.masked())))
            }
            // Go prints an IPv4 address in an IPv6 one without the latter.
            "ParseIP" => shown(net::parse_ip(text).map(|address| address.to_canonical())),
            _ => panic!("{function} is not known"),
        }
    });
}

#[test]
fn sloppy_addresses() {
    check(include_str!("tables/sloppy.txt"), 2, |function, arguments| {
        let [text] = *arguments else { panic!("{function} has one argument") };
        match function {
            "ParseIPSloppy" => shown(net::parse_ip_sloppy(text).map(|address| address.to_canonical())),
            "ParseCIDRSloppy" => shown(net::parse_cidr_sloppy(text).map(|block| {
                let mut masked = block.masked();
                if netip::is_4_in_6(masked.address) {
                    masked = Prefix { address: masked.address.to_canonical(), bits: masked.bits - 96 };
                }
                format!("{} {masked}", block.address.to_canonical())
            })),
            _ => panic!("{function} is not known"),
        }
    });
}

fn shown<T: Display>(value: Option<T>) -> String {
    value.map_or_else(|| "nil".to_owned(), |value| value.to_string())
}

#[test]
fn urls() {
    check(include_str!("tables/url.txt"), 4, |function, arguments| {
        let [text] = *arguments else { panic!("{function} has one argument") };
        let shown = |url: Result<Url, String>| {
            or_error(url.map(|url| {
                let user = url.user.as_ref().map_or_else(|| "-".to_owned(), ToString::to_string);
                let parts = [
                    &url.scheme,
                    &url.opaque,
                    &user,
                    &url.host,
                    url.hostname(),
                    url.port(),
                    &url.path,
                    &url.force_query.to_string(),
                    &url.query,
                    &url.fragment,
                ];
                parts.join("|")
            }))
        };
        match function {
            "Parse" => shown(Url::parse(text)),
            "ParseRequestURI" => shown(Url::parse_request_uri(text)),
            "PathUnescape" => or_error(url::path_unescape(text)),
            "QueryUnescape" => or_error(url::query_unescape(text)),
            _ => panic!("{function} is not known"),
        }
    });
}

#[test]
fn base_64() {
    check(include_str!("tables/base64.txt"), 4, |function, arguments| {
        let [text] = *arguments else { panic!("{function} has one argument") };
        let hex = |bytes: Vec<u8>| bytes.iter().fold(String::new(), |text, byte| format!("{text}{byte:02x}"));
        match function {
            "StdDecode" => or_error(
                base64::decode(text).map(hex).map_err(|at| format!("illegal base64 data at input byte {at}")),
            ),
            "RawUrlDecode" => base64::decode_url(text).map_or_else(|| "error".to_owned(), hex),
            "StdEncode" => base64::encode(text),
            "RawUrlEncode" => base64::encode_url(text),
            _ => panic!("{function} is not known"),
        }
    });
}
