package io.headgate.tools.backtest;

/** HTML and SVG that grow from front to back. Text is escaped on the way in, whoever wrote it. */
final class Markup {

    private final StringBuilder text = new StringBuilder();

    /** As it is: what this program wrote. */
    Markup raw(String markup) {
        text.append(markup);
        return this;
    }

    /** What somebody else may have written. */
    Markup text(String foreign) {
        for (int i = 0; i < foreign.length(); i++) {
            char c = foreign.charAt(i);
            switch (c) {
                case '&' -> text.append("&amp;");
                case '<' -> text.append("&lt;");
                case '>' -> text.append("&gt;");
                case '"' -> text.append("&quot;");
                case '\'' -> text.append("&#39;");
                default -> text.append(Character.isISOControl(c) ? '?' : c);
            }
        }
        return this;
    }

    /** An element with nothing but text in it. */
    Markup element(String tag, String foreign) {
        return raw("<" + tag + ">").text(foreign).raw("</" + tag.split(" ", 2)[0] + ">");
    }

    @Override
    public String toString() {
        return text.toString();
    }
}
