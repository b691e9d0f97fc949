package io.headgate.cluster;

/** A progress bar on stderr; nothing where nobody watches, as the system property {@code headgate.watched} tells. */
public final class Progress {

    private static final int WIDTH = 40;

    private final long total;
    private final boolean watched = Boolean.getBoolean("headgate.watched");
    private long shownPermille = -1;

    /** @param total what {@link #show} is called with at the end */
    public Progress(long total) {
        this.total = total;
    }

    public void show(long done) {
        long permille = total == 0 ? 1000 : done * 1000 / total;
        if (watched && permille != shownPermille) {
            shownPermille = permille;
            int filled = (int) (permille * WIDTH / 1000);
            System.err.printf("\r[%s%s] %5.1f %%", "#".repeat(filled), " ".repeat(WIDTH - filled), permille / 10.0);
        }
    }

    public void finish(long done) {
        show(done);
        if (watched) {
            System.err.println();
        }
    }
}
