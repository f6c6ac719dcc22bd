// Takes a token and an attendee's name from behind the `#` of a link to a workshop, and removes them from the address, where others
// could read them. They are kept for as long as the tab is open.
const given = new URLSearchParams(location.hash.slice(1));
sessionStorage.setItem(`kubeglass.token ${location.origin}`, given.get("token"));
sessionStorage.setItem("kubeglass.attendee", given.get("attendee") ?? "");
history.replaceState(null, "", location.pathname + location.search);
