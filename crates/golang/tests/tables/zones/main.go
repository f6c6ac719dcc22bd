// Writes the table of time zones that the crate reads, and rows that test it: run it in the folder above, as `go run ./zones`.
//
// Of each zone it keeps the rule that a file of the IANA's database ends with, without abbreviations, and the changes since 2026 of
// zones whose rule does not tell them.
package main

import (
	"archive/zip"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"sort"
	"strconv"
	"strings"
	"time"
)

const begin = 1767225600 // 2026

func check(err error) {
	if err != nil {
		panic(err)
	}
}

// minutes reads hours and minutes with a sign.
func minutes(text string) int {
	sign := 1
	if strings.HasPrefix(text, "-") {
		sign, text = -1, text[1:]
	}
	hours, rest, _ := strings.Cut(strings.TrimPrefix(text, "+"), ":")
	h, err := strconv.Atoi(hours)
	check(err)
	m, _ := strconv.Atoi(rest)
	return sign * (h*60 + m)
}

var form = regexp.MustCompile(`^(?:<[^>]*>|[A-Za-z]+)([-+:\d]+)(?:(?:<[^>]*>|[A-Za-z]+)([-+:\d]*),M([\d.]+)(?:/([-:\d]+))?,M([\d.]+)(?:/([-:\d]+))?)?$`)

// rule writes a rule with minutes: the offset east of UTC, then that of daylight saving time, and when it begins and ends. The
// changes that it does not tell follow a semicolon: the other offset, and the times of changes from one to the other, in half hours.
func rule(posix string) string {
	parts := form.FindStringSubmatch(posix)
	if parts == nil {
		panic(posix)
	}
	standard := -minutes(parts[1])
	if parts[3] == "" {
		return strconv.Itoa(standard)
	}
	daylight := standard + 60
	if parts[2] != "" {
		daylight = -minutes(parts[2])
	}
	at := func(text string) int {
		if text == "" {
			return 120
		}
		return minutes(text)
	}
	return fmt.Sprintf("%d,%d,%s.%d,%s.%d", standard, daylight, parts[3], at(parts[4]), parts[5], at(parts[6]))
}

// changes returns the changes since 2026 that a file has, and the rule at its end.
func read(data []byte) (changes []int64, posix string) {
	counts := func(at int) (all [6]int) {
		for i := range all {
			all[i] = int(binary.BigEndian.Uint32(data[at+20+4*i:]))
		}
		return
	}
	a := counts(0)
	second := 44 + a[3]*5 + a[4]*6 + a[5] + a[2]*8 + a[1] + a[0]
	for i := range counts(second)[3] {
		if at := int64(binary.BigEndian.Uint64(data[second+44+8*i:])); at >= begin {
			changes = append(changes, at)
		}
	}
	lines := strings.Split(strings.TrimRight(string(data), "\n"), "\n")
	return changes, lines[len(lines)-1]
}

func main() {
	archive, err := zip.OpenReader(filepath.Join(runtime.GOROOT(), "lib/time/zoneinfo.zip"))
	check(err)
	zones := map[string]map[string][]string{}
	var rows []string
	for _, file := range archive.File {
		if strings.HasSuffix(file.Name, "/") {
			continue
		}
		reader, err := file.Open()
		check(err)
		data, err := io.ReadAll(reader)
		check(err)
		changes, posix := read(data)
		written := rule(posix)
		location, err := time.LoadLocation(file.Name)
		check(err)
		offset := func(at int64) int {
			_, seconds := time.Unix(at, 0).In(location).Zone()
			return seconds
		}
		for i, at := range changes {
			if at%1800 != 0 || offset(at-1) != offset(changes[i%2]-1) {
				panic(file.Name)
			}
			if i == 0 {
				written += fmt.Sprintf(";%d", offset(at)/60)
			}
			written += fmt.Sprintf(",%d", at/1800)
		}
		area, name := path.Split(file.Name)
		if zones[written] == nil {
			zones[written] = map[string][]string{}
		}
		zones[written][area] = append(zones[written][area], name)
		row := func(at int64) { rows = append(rows, fmt.Sprintf("Zone\t%s\t%d\t%d", file.Name, at, offset(at))) }
		row(begin)
		for at := int64(begin); at < begin+5*366*86400; at += 1800 {
			if offset(at) != offset(at+1800) {
				row(at + 1799)
				row(at + 1800)
				local := at + 1800 + int64(offset(at))
				for _, wall := range []int64{local - 1800, local, local + 1800} {
					t := time.Unix(wall, 0).UTC()
					found := time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), 0, 0, location)
					rows = append(rows, fmt.Sprintf("Date\t%s\t%d\t%d", file.Name, wall, found.Unix()))
				}
				at += 10 * 86400
			}
		}
	}
	var table []string
	for written, areas := range zones {
		line := written
		var words []string
		for area, names := range areas {
			sort.Strings(names)
			words = append(words, " "+strings.TrimSuffix(area, "/")+"/"+strings.Join(names, ","))
		}
		sort.Strings(words)
		table = append(table, line+strings.Join(words, "")+"\n")
	}
	sort.Strings(table)
	check(os.WriteFile("../../src/time/zones.txt", []byte(strings.Join(table, "")), 0o644))
	// A row in thirty is enough.
	var kept []string
	for i, row := range rows {
		if i%29 == 0 || strings.Contains(row, "Casablanca") || strings.Contains(row, "Gaza") || strings.Contains(row, "Lord_Howe") || strings.Contains(row, "Dublin") || strings.Contains(row, "Nuuk") {
			kept = append(kept, row+"\n")
		}
	}
	check(os.WriteFile("zones.txt", []byte(strings.Join(kept, "")), 0o644))
}
