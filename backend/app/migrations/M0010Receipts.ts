import { Migration } from '@mikro-orm/migrations'

/**
 * The tree of the ledger, its published checkpoints, the films that others were made from, and the
 * certificates that have signed files.
 */
export class M0010Receipts extends Migration {
  override up(): void {
    this.addSql(`
      create table ledger_chunk (id int primary key, last_position text not null, root text not null);
      create table ledger_checkpoint (size bigint primary key, text text not null);
      create table film_origin (id uuid primary key, user_id uuid not null, parent_id uuid not null, made_as text not null);
      create index film_origin_parent on film_origin (parent_id);
      create table published_certificate (
        fingerprint text primary key, certificate text not null, published_at timestamptz not null default now()
      );
    `)
  }
}
