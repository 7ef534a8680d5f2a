import { Migration } from '@mikro-orm/migrations'

/** The picture so far of a running render, and the progress in percent at which it was made. */
export class M0205LiveFrames extends Migration {
  override up(): void {
    this.addSql('alter table render_progress add column frame bytea, add column frame_at int')
  }
}
