package io.headgate.core.shard;

/**
 * A time in which a partition key had the same terms.
 *
 * @param fromOffset offset of the record with which the state learned of it
 * @param fromMillis log time from which it holds; before the log time of that record where an action had ended in between
 * @param terms the terms
 * @param fresh whether budgets began anew with it
 * @param ended whether it began because an action had ended, and so before every record of that log time
 */
record TermsEra(long fromOffset, long fromMillis, Terms terms, boolean fresh, boolean ended) {

    void writeTo(ByteWriter out) {
        out.putLong(fromOffset).putLong(fromMillis).putBoolean(fresh).putBoolean(ended);
        terms.writeTo(out);
    }

    static TermsEra readFrom(ByteReader in) {
        long fromOffset = in.getLong();
        long fromMillis = in.getLong();
        boolean fresh = in.getBoolean();
        boolean ended = in.getBoolean();
        return new TermsEra(fromOffset, fromMillis, Terms.readFrom(in), fresh, ended);
    }
}
