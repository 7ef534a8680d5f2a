import { Migration } from '@mikro-orm/migrations'

export class M0030LiveProjections extends Migration {
  override up(): void {
    this.addSql('alter table projection_checkpoint add column live_at timestamptz')
  }
}
