// How the editor looks: the page's own colours and faces, which a shadow root inherits as custom properties.
import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { EditorView } from "@codemirror/view";
import { tags } from "@lezer/highlight";

const panel = {
  border: "1px solid var(--edge)",
  borderRadius: "6px",
  backgroundColor: "var(--panel)",
  color: "var(--text)",
  font: "12px/1.45 var(--sans)",
};

const theme = EditorView.theme({
  "&": { flex: "1 1 auto", minHeight: "94px", maxHeight: "418px", backgroundColor: "transparent", color: "var(--text)" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { overflow: "auto", fontFamily: "var(--mono)", fontSize: "13px", lineHeight: "19px" },
  ".cm-content": { padding: "8px 0", caretColor: "var(--text)", tabSize: "2" },
  ".cm-line": { padding: "0 10px 0 4px" },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  ".cm-content ::selection, .cm-line::selection": { backgroundColor: "color-mix(in srgb, var(--accent) 32%, transparent)" },
  ".cm-gutters": { border: "0", backgroundColor: "var(--raised)", color: "var(--quiet)" },
  ".cm-lineNumbers .cm-gutterElement": { minWidth: "2.6ch", padding: "0 2px 0 8px" },
  ".cm-lineNumbers .cm-gutterElement.wrong": { backgroundColor: "var(--bad)", color: "var(--panel)" },
  ".cm-lineNumbers .cm-gutterElement.doubtful": { boxShadow: "inset 3px 0 var(--lit-edge)", color: "var(--text)", fontWeight: "700" },
  ".cm-foldGutter .cm-gutterElement": { padding: "0 3px", cursor: "pointer" },
  ".cm-foldPlaceholder": { margin: "0 2px", padding: "0 5px", border: "1px solid var(--edge)", backgroundColor: "var(--panel)", color: "var(--quiet)" },
  ".cm-activeLine": { backgroundColor: "color-mix(in srgb, var(--accent) 6%, transparent)" },
  ".cm-activeLineGutter": { backgroundColor: "transparent", color: "var(--text)" },
  "&.cm-focused .cm-matchingBracket": { outline: "1px solid var(--edge)", backgroundColor: "transparent" },
  "&.cm-focused .cm-nonmatchingBracket": { outline: "1px solid var(--bad)", backgroundColor: "transparent" },
  ".cm-specialChar": { color: "var(--bad)" },
  ".cm-lintRange": { backgroundImage: "none", textDecorationThickness: "1.5px", textUnderlineOffset: "3px" },
  ".cm-lintRange-error": { textDecorationLine: "underline", textDecorationStyle: "wavy", textDecorationColor: "var(--bad)" },
  ".cm-lintRange-warning": { textDecorationLine: "underline", textDecorationStyle: "dashed", textDecorationColor: "var(--lit-edge)" },
  ".cm-lintRange-active": { backgroundColor: "var(--bad-ground)" },
  ".cm-lintPoint:after": { borderBottomColor: "var(--bad)" },
  mark: { borderRadius: "2px", outline: "2px solid var(--bad)", backgroundColor: "var(--bad-ground)", color: "inherit" },
  ".cm-tooltip": { ...panel, maxWidth: "min(46ch, calc(100vw - 24px))", zIndex: "4", boxShadow: "0 2px 12px rgb(0 0 0 / 18%)" },
  ".cm-tooltip .cm-tooltip-section:not(:first-child)": { borderTop: "1px solid var(--line)" },
  ".cm-diagnostic": { padding: "6px 10px", borderLeft: "3px solid var(--bad)", whiteSpace: "pre-wrap", overflowWrap: "anywhere" },
  ".cm-diagnostic-warning": { borderLeftColor: "var(--lit-edge)" },
  ".cm-diagnosticSource": { color: "var(--quiet)", fontSize: "12px", opacity: "1" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul": { fontFamily: "var(--mono)", fontSize: "13px", maxHeight: "228px", maxWidth: "min(46ch, calc(100vw - 24px))" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li": { display: "flex", gap: "12px", padding: "2px 10px", lineHeight: "20px" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]": { backgroundColor: "var(--accent-ground)", color: "var(--text)", boxShadow: "inset 3px 0 var(--accent)" },
  ".cm-completionLabel": { flex: "1" },
  ".cm-completionMatchedText": { textDecoration: "none", fontWeight: "700", color: "var(--accent)" },
  ".cm-completionDetail": { marginLeft: "0", color: "var(--quiet)", fontStyle: "normal", fontSize: "12px" },
  ".cm-tooltip.cm-completionInfo": { ...panel, padding: "0", maxHeight: "264px", overflow: "auto" },
  ".about": { padding: "7px 10px", maxHeight: "264px", overflow: "auto", overflowWrap: "anywhere" },
  ".about h4": { margin: "0", font: "600 13px/1.45 var(--mono)" },
  ".about h4 span": { fontWeight: "400", color: "var(--quiet)" },
  ".about p": { margin: "4px 0 0", whiteSpace: "pre-line" },
  ".about .facts": { color: "var(--quiet)" },
  ".hint": { position: "absolute", width: "1px", height: "1px", overflow: "hidden", clipPath: "inset(50%)" },
  "@media (forced-colors: active)": {
    ".cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]": { outline: "2px solid Highlight", outlineOffset: "-2px" },
  },
});

const colours = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: "var(--j-key)" },
  { tag: [tags.string, tags.content, tags.special(tags.string)], color: "var(--j-text)" },
  { tag: tags.number, color: "var(--j-number)" },
  { tag: [tags.bool, tags.null, tags.keyword, tags.typeName, tags.labelName], color: "var(--j-word)" },
  { tag: [tags.comment, tags.meta, tags.separator, tags.punctuation], color: "var(--quiet)" },
]);

export const look = [theme, syntaxHighlighting(colours)];
