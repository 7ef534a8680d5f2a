import { Migration } from '@mikro-orm/migrations'

export class M0012ChainHeads extends Migration {
  override up(): void {
    this.addSql(`create table chain_head (
      id uuid primary key,
      stream text not null,
      revision int not null,
      event_id uuid not null,
      hash text not null
    )`)
  }
}
