import { Migration } from '@mikro-orm/migrations'

/** Calls of a provider, counted in slices: `ends[n]` is the end of the slice in which `counts[n]` calls were made. */
export class M0231CallCounts extends Migration {
  override up(): void {
    this.addSql(`
      delete from call_window;
      alter table call_window add ends timestamptz[] not null default '{}', add counts int[] not null default '{}';
    `)
  }
}
