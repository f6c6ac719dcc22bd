// Writes what Go answers into the tables beside it, for the tests of the crate to compare with.
//
// A row is a line: the name of a function, its arguments, and what it returns, with tabs in between. Bytes that are no
// printable ASCII, and backslashes, are written as \xNN.
package main

import (
	"encoding/base64"
	"encoding/hex"
	"flag"
	"fmt"
	"math"
	"math/rand"
	"net"
	"net/netip"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"
	"unicode"
)

var (
	rows   = flag.Int("rows", 60, "how many random texts each function is given")
	random = rand.New(rand.NewSource(1))
)

type table struct{ strings.Builder }

func (t *table) row(fields ...string) {
	for i, field := range fields {
		if i > 0 {
			t.WriteByte('\t')
		}
		for _, b := range []byte(field) {
			if b < ' ' || b > '~' || b == '\\' {
				fmt.Fprintf(t, "\\x%02x", b)
			} else {
				t.WriteByte(b)
			}
		}
	}
	t.WriteByte('\n')
}

// Texts that are given, and others made of pieces.
func texts(given []string, pieces string, longest int) []string {
	parts := strings.Split(pieces, " ")
	all := append([]string{}, given...)
	for range *rows {
		text := ""
		if len(given) > 0 && random.Intn(2) == 0 {
			text = given[random.Intn(len(given))]
			// One piece more, or one byte of ASCII less.
			at := random.Intn(len(text) + 1)
			if at < len(text) && text[at] < 0x80 && random.Intn(2) == 0 {
				text = text[:at] + text[at+1:]
			} else {
				for at < len(text) && text[at]&0xc0 == 0x80 {
					at++
				}
				text = text[:at] + parts[random.Intn(len(parts))] + text[at:]
			}
		} else {
			for range random.Intn(longest) + 1 {
				text += parts[random.Intn(len(parts))]
			}
		}
		all = append(all, text)
	}
	return all
}

func orError(text string, err error) string {
	if err != nil {
		return "error: " + err.Error()
	}
	return text
}

func strconvTable(t *table) {
	for _, text := range texts([]string{"", "a\"b\\c", "\a\b\f\n\r\t\v", "\x00\x1f\x7f", "ä€🙂 ", "\u0080\u00a0\u200b\ufeff", "\U000f0000"}, "a ' \" \\ \n \u00ad \u2028 \u0301 é \U000e0001 \u0378 \u3000 \ufffd", 4) {
		if strings.Contains(text, "\u0378") {
			continue // No character is assigned to it; see is_print.
		}
		t.row("Quote", text, strconv.Quote(text))
	}
	// The first characters of ranges that are printable or not, regardless of those to which nothing is assigned.
	last := ""
	for r := range unicode.MaxRune + 1 {
		isPrint := strconv.IsPrint(r)
		if isPrint || unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Zl, unicode.Zp, unicode.Zs) {
			if now := strconv.FormatBool(isPrint); now != last {
				t.row("IsPrint", fmt.Sprintf("%x", r), now)
				last = now
			}
		}
	}
	floats := []string{"0", "-0", "1", "-1.5", "100", "123.456", "0.5", "0.000123", "0.0000123", "123456", "999999.5", "1e6", "1e21", "1e-7", "5e-324", "2.4703282292062327e-324", "2.4703282292062328e-324", "1.7976931348623157e308", "1.7976931348623159e308", "9007199254740993", "0.1", "0.3", "2.5", "1e23", "inf", "-Infinity", "nan", ".5", "5.", "+1", "1E2"}
	for _, text := range texts(floats, "0 1 5 9 . - + e E e-3 12345678901234567890 inf x", 5) {
		float, err := strconv.ParseFloat(text, 64)
		if err != nil && err.(*strconv.NumError).Err == strconv.ErrSyntax {
			t.row("ParseFloat", text, "error")
			continue
		}
		t.row("ParseFloat", text, strconv.FormatFloat(float, 'g', -1, 64))
		for _, precision := range []int{0, 2, 6} {
			if math.Abs(float) < 1e30 {
				t.row("FormatFixed", text, strconv.Itoa(precision), strconv.FormatFloat(float, 'f', precision, 64))
			}
		}
	}
	for _, text := range texts([]string{"", "0", "-0", "+5", "007", "9223372036854775807", "9223372036854775808", "-9223372036854775808", "18446744073709551615", "18446744073709551616", "1_0", "0x1", " 1", "é"}, "1 0 - + _ a 999999999 .", 4) {
		signed, err := strconv.ParseInt(text, 10, 64)
		t.row("ParseInt", text, orError(strconv.FormatInt(signed, 10), err))
		unsigned, err := strconv.ParseUint(text, 10, 64)
		t.row("ParseUint", text, orError(strconv.FormatUint(unsigned, 10), err))
		integer, err := strconv.Atoi(text)
		t.row("Atoi", text, orError(strconv.Itoa(integer), err))
	}
}

func timeTable(t *table) {
	layouts := []struct{ name, layout string }{
		{"Rfc3339", time.RFC3339},
		{"Rfc3339Micro", "2006-01-02T15:04:05.000000Z07:00"},
		{"DateTime", "2006-01-02T15:04:05"},
		{"DateOnly", time.DateOnly},
	}
	given := []string{"", "2026-11-20T13:22:00Z", "2026-11-20T13:22:00.5Z", "2026-11-20T13:22:00,123456789012Z", "2026-11-20T13:22:00.123456Z", "2026-11-20T13:22:00.-12345Z", "2026-11-20T3:22:00+01:00", "2026-11-20T13:22:00-24:60", "2026-11-20T13:22:00+25:00", "2026-11-20", "2026-02-29T00:00:00Z", "2024-02-29T00:00:00Z", "0000-01-01T00:00:00Z", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "2026-11-20T23:59:60Z", "2026-11-20T24:00:00Z", "2026-13-01T00:00:00Z", "2026-11-20t13:22:00z", "2026-11-20 13:22:00", "é026-11-20", "2026-11-20T13:22:00Zé\"\x01"}
	for _, text := range texts(given, "0 1 9 - : T Z . , + +01:00 .5 t z é 2026", 6) {
		for _, layout := range layouts {
			at, err := time.Parse(layout.layout, text)
			t.row("Parse", layout.name, text, orError(fmt.Sprintf("%d.%09d", at.Unix(), at.Nanosecond()), err))
			if err == nil && layout.name == "Rfc3339" && at.UTC().Year() >= 0 && at.UTC().Year() <= 9999 {
				t.row("Format", "Rfc3339", strconv.FormatInt(at.Unix(), 10), at.UTC().Format(time.RFC3339))
				t.row("Format", "Rfc1123", strconv.FormatInt(at.Unix(), 10), at.UTC().Format(time.RFC1123))
			}
		}
	}
	durations := []string{"", "0", "-0", "+0", "5s", "1h30m", "-1.5s", "+5s", ".5m", "1.s", ".s", "1.5s500ms", "100ns", "11us", "12µs", "12μs", "3ms", "0.3333333333333333333h", "0.100000000000000000000h", "0.9223372036854775807s", "9007199254.740993ms", "9223372036854775807ns", "9223372036854775808ns", "-9223372036854775808ns", "9223372036854775.808us", "2562047h47m16.854775808s", "-2562047h47m16.854775808s", "3000000h", "99999999999999999999s", "1d", "5", "5é", "é\"\\\x01", "-", "--1s", "1e3s", "1h 30m"}
	for _, text := range texts(durations, "1 0 9 . - + h m s ms us µs ns d 99999999999", 6) {
		duration, err := time.ParseDuration(text)
		t.row("ParseDuration", text, orError(strconv.FormatInt(int64(duration), 10), err))
		if err == nil {
			t.row("FormatDuration", strconv.FormatInt(int64(duration), 10), duration.String())
		}
	}
}

func kindsRow(t *table, text string) {
	address := netip.MustParseAddr(text)
	shown := address.WithZone("")
	kinds := ""
	for _, is := range []bool{address.Is4In6(), shown.IsLinkLocalMulticast(), shown.IsLinkLocalUnicast(), shown.IsGlobalUnicast()} {
		kinds += strconv.FormatBool(is)[:1]
	}
	t.row("Kinds", text, kinds)
}

func netTable(t *table) {
	addresses := []string{"", "1.2.3.4", "01.2.3.4", "1.2.3.256", "1.2.3", "1.2.3.4.5", "1..2.3", "1.2.3.", ".1.2.3", "::", "::1", "1::", "2001:DB8::0:0:0:abcd", "1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7::", "::2:3:4:5:6:7:8", "1:2:3:4:5:6:7::8", "1:2:3:4:5:6:7:8:9", "1::2::3", ":::", ":1", "1:", "12345::", "g::", "::1.2.3.4", "::ffff:1.2.3.4", "::ffff:01.2.3.4", "1:2:3:4:5:6:1.2.3.4", "1:2:3:4:5:6:7:1.2.3.4", "1:1.2.3.4", "fe80::1%eth0", "fe80::1%", "%eth0", "1.2.3.4%a", "::ffff:1.2.3.4%a", "é", "1.2.3.é", "::é", "127.0.0.1", "169.254.1.1", "224.0.0.1", "224.0.1.1", "255.255.255.255", "0.0.0.0", "ff02::1", "ff00::1", "fd00::1"}
	for _, text := range texts(addresses, "0 1 2 255 256 . : :: % a ffff 001 g", 9) {
		address, err := netip.ParseAddr(text)
		shown := address.WithZone("")
		t.row("ParseAddr", text, orError(shown.String()+" "+strconv.FormatBool(address.Zone() != ""), err))
		if err == nil {
			kindsRow(t, text)
		}
		if ip := net.ParseIP(text); ip == nil {
			t.row("ParseIP", text, "nil")
		} else {
			t.row("ParseIP", text, ip.String())
		}
		for _, bits := range []string{"", "/", "/0", "/8", "/08", "/33", "/129", "/-1", "/x", "/1/2"} {
			if random.Intn(4) > 0 {
				continue
			}
			prefix, err := netip.ParsePrefix(text + bits)
			t.row("ParsePrefix", text+bits, orError(prefix.String()+" "+prefix.Masked().String(), err))
		}
	}
	for _, text := range []string{"::ffff:0.0.0.0", "::ffff:127.0.0.1", "::ffff:169.254.1.1", "::ffff:224.0.0.1", "::ffff:224.0.1.1", "::ffff:255.255.255.255"} {
		kindsRow(t, text)
	}
}

func urlTable(t *table) {
	given := []string{"", "*", "/", "//", "//a/b", "/a b", "a", "a:b", "a/b:c", ":a", "../x", "?a", "#a", "/?", "http://", "HTTP://A.b:80/c?d=e#f", "https://u:p@a.b/c", "https://u%40:p%3a@a/", "http://[::1]:80/x", "http://[::1", "http://[::1]x", "http://[fe80::1%25en0]:8/", "http://[1.2.3.4]/", "http://[x]/", "http://a[::1]/", "http://a:b:c/", "ftp://a:b:c/", "ftp://a:1,b:2/", "http://::1/", "http://a b/", "http://a%41/", "http://a%e9/", "http://a/%zz", "http://a/%a", "http://a/%2f!", "http://a/é", "http://é/", "http://a/#%zz", "http://a/?%zz", "http://é é@a/", "mailto:a@b", "x:/a", "x:?a", "x:y#z", "1x:y", "http://a\n/", "http://a/\x7f", "http://a/<>\"{}|^`", "http://a!$&'()*+,;=~-_.b/", "http://a/b?c#d#e", "https://a@b@c/", "http://a:/", "http://a:x/", "http://%5b::1%5d/"}
	for _, text := range texts(given, "http: https: // / a b.c : @ ? # % %41 %25 [ ] ::1 é ! 80 ; & = * .", 8) {
		show := func(u *url.URL, err error) string {
			if err != nil {
				return orError("", err)
			}
			user := "-"
			if u.User != nil {
				user = u.User.String()
			}
			return fmt.Sprintf("%s|%s|%s|%s|%s|%s|%s|%t|%s|%s", u.Scheme, u.Opaque, user, u.Host, u.Hostname(), u.Port(), u.EscapedPath(), u.ForceQuery, u.RawQuery, u.Fragment)
		}
		t.row("Parse", text, show(url.Parse(text)))
		t.row("ParseRequestURI", text, show(url.ParseRequestURI(text)))
	}
	for _, text := range texts([]string{"", "a+b%20c", "%", "%4", "%zz", "é", "%c3%a9"}, "a + % %41 %2B 4 z / é", 5) {
		path, err := url.PathUnescape(text)
		t.row("PathUnescape", text, orError(path, err))
		query, err := url.QueryUnescape(text)
		t.row("QueryUnescape", text, orError(query, err))
	}
}

func base64Table(t *table) {
	for _, text := range texts([]string{"", "YQ==", "YWI=", "YWJj", "YQ", "YQ=", "Y", "=", "====", "YQ==YQ==", "YQ==\n", "Y\r\nQ==", "YQ=\n=", "YQ\n==", "YWJj=", "not base64!", "%%%", "-w", "__8", "+w==", "YR==", "é"}, "Y Q W = == \n - _ + / x YWJj %", 6) {
		decoded, err := base64.StdEncoding.DecodeString(text)
		t.row("StdDecode", text, orError(hex.EncodeToString(decoded), err))
		decoded, err = base64.RawURLEncoding.DecodeString(text)
		result := hex.EncodeToString(decoded)
		if err != nil {
			result = "error"
		}
		t.row("RawUrlDecode", text, result)
		t.row("StdEncode", text, base64.StdEncoding.EncodeToString([]byte(text)))
		t.row("RawUrlEncode", text, base64.RawURLEncoding.EncodeToString([]byte(text)))
	}
}

func main() {
	flag.Parse()
	for name, fill := range map[string]func(*table){"strconv": strconvTable, "time": timeTable, "net": netTable, "url": urlTable, "base64": base64Table} {
		random = rand.New(rand.NewSource(1))
		var t table
		fill(&t)
		if err := os.WriteFile(name+".txt", []byte(t.String()), 0o644); err != nil {
			panic(err)
		}
	}
}
