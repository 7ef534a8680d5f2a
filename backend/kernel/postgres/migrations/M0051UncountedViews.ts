import { Migration } from '@mikro-orm/migrations'

export class M0051UncountedViews extends Migration {
  override up(): void {
    // Visits that are written and not counted yet. A row lives for some tens of milliseconds.
    this.addSql('create table uncounted_view (at timestamptz not null, path text not null, visitor uuid not null)')
  }
}
