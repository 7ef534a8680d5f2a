import { Migration } from '@mikro-orm/migrations'

/** Credit codes, and redemptions whose credits are not granted yet. */
export class M0007Codes extends Migration {
  override up(): void {
    this.addSql(`
      create table credit_code (
        id uuid primary key, batch_id uuid not null, label text not null, hint text not null, credits int not null,
        uses int not null, used int not null, audience text not null, expires_at timestamptz,
        issued_at timestamptz not null, voided_at timestamptz
      );
      create index credit_code_batch on credit_code (batch_id);
      create index credit_code_issued on credit_code (issued_at desc, id);
      create table open_redemption (id uuid primary key, code_id uuid not null, user_id uuid not null, credits int not null);
    `)
  }
}
