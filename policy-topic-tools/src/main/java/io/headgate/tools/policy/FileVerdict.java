package io.headgate.tools.policy;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.headgate.tools.Finding;
import java.io.PrintWriter;
import java.util.List;

/**
 * What a check makes of a file.
 *
 * @param file its name
 * @param title what the file is, for people, if it is valid
 * @param problems what forbids its use
 * @param remarks what of it will not do what its author may expect
 */
record FileVerdict(String file, String title, List<Finding> problems, List<Finding> remarks) {

    boolean valid() {
        return problems.isEmpty();
    }

    /** A line a mistake to {@code err}, a line a remark and what the file is to {@code out}. */
    void print(PrintWriter out, PrintWriter err) {
        problems.forEach(problem -> err.println(problem.in(file)));
        remarks.forEach(
                remark -> out.println(new Finding(remark.line(), "remark: " + remark.place(), remark.what()).in(file)));
        if (valid()) {
            out.println(file + ": is valid: " + title);
        }
    }

    /** As an object for programs. */
    ObjectNode json() {
        ObjectNode json =
                JsonNodeFactory.instance.objectNode().put("file", file).put("valid", valid());
        write(problems, json.putArray("problems"));
        write(remarks, json.putArray("remarks"));
        return json;
    }

    private static void write(List<Finding> findings, ArrayNode array) {
        for (Finding finding : findings) {
            ObjectNode json = array.addObject();
            finding.line().ifPresentOrElse(line -> json.put("line", line), () -> json.putNull("line"));
            json.put("place", finding.place()).put("what", finding.what());
        }
    }
}
