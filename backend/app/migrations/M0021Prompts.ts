import { Migration } from '@mikro-orm/migrations'

/** Pictures that are kept under a name, and what the operator has connected on the board. */
export class M0021Prompts extends Migration {
  override up(): void {
    this.addSql('alter table image_upload add column name text')
    this.addSql(`create table engine_setting (
      name text primary key,
      sealed text not null,
      changed_at timestamptz not null
    )`)
  }
}
