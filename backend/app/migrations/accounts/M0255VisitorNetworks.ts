import { Migration } from '@mikro-orm/migrations'

/** Which network sent the picture of a visitor, as a keyed hash. Unknown for pictures of earlier releases. */
export class M0255VisitorNetworks extends Migration {
  override up(): void {
    this.addSql('alter table start_image add column network text')
  }
}
