// Writes what github.com/robfig/cron v3, by which Kubernetes reads schedules, answers: a line for each schedule and time, with tabs in
// between, and with the times that follow. Run it with TZ=UTC, and redirect its output into schedules.txt beside it.
package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/robfig/cron/v3"
)

func main() {
	schedules := strings.Split(strings.TrimSpace(`
* * * * *
*/5 * * * *
0 * * * *
59 23 * * *
5,10,50 0-3 * * *
7/20 */6 * * *
0 0 1 * *
0 0 31 * *
0 0 29 2 *
59 23 31 2 *
0 12 * jan,JUL *
0 12 13 * fri
0 12 */13 * fri
0 12 * * fri
0 12 1-7 */2 mon-wed
30 6-16/4 * * 1-5
? ? ? ? ?
, * * * *
* * * * ,
* * 5 * ,
@yearly
@annually
@monthly
@weekly
@daily
@midnight
@hourly
@every 90s
@every 1h30m0.7s
@every 1ms
@every -5m
TZ=Europe/Berlin 30 2 * * *
TZ=Europe/Berlin */30 1-3 28 3 *
TZ=Europe/Berlin 15 * * * *
TZ=America/New_York 0 2 * * sun
TZ=America/Santiago 0 0 * * *
TZ=America/Santiago @weekly
TZ=Africa/Cairo @daily
TZ=Africa/Cairo 0 0 * 4,10 fri
TZ=Australia/Lord_Howe 45 1,2 * * *
TZ=Asia/Kolkata 0 9 * * *
TZ=Asia/Kathmandu 0 * * * *
TZ=America/St_Johns 0 0 1 * *
TZ=Asia/Beirut 0 0 * * *
TZ=America/Havana 0 0 8-14 3,11 sun
TZ=Africa/Casablanca 30 2 * * *
TZ=America/Nuuk 0 23 * * *
TZ=Pacific/Kiritimati 0 0 1 1 *
CRON_TZ=Local @hourly`), "\n")
	times := strings.Fields(`2027-01-15T08:00:00Z 2027-02-28T23:59:59Z 2027-03-28T00:15:30Z 2027-03-14T05:00:00Z 2027-10-30T23:00:00Z
2027-10-31T00:30:00Z 2027-11-07T04:59:00Z 2027-04-03T14:59:59Z 2027-09-04T23:00:00Z 2027-12-31T23:59:59Z 2096-03-01T00:00:00Z`)
	for _, text := range schedules {
		schedule, err := cron.ParseStandard(text)
		if err != nil {
			panic(err)
		}
		for _, begin := range times {
			at, err := time.Parse(time.RFC3339, begin)
			if err != nil {
				panic(err)
			}
			var found []string
			for range 4 {
				if at = schedule.Next(at.UTC()); at.IsZero() {
					found = append(found, "0001-01-01T00:00:00Z")
					break
				}
				found = append(found, at.UTC().Format(time.RFC3339))
			}
			fmt.Printf("%s\t%s\t%s\n", text, begin, strings.Join(found, " "))
		}
	}
}
