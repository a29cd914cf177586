-- name: settle_functions
-- Whose body is text looks its names up when it runs, in the caller's path unless it has its own,
-- and in the caller's temporary tables before that unless pg_temp comes last. The queue's functions
-- are made without one. A body that was read when the function was made has its names already.
-- Of PUBLIC's right to call a function, which all are made with, the application keeps what it
-- needs: nothing that acts as the owner, and no trigger, which nobody calls.
DO $$
DECLARE
    each record;
BEGIN
    FOR each IN
        SELECT oid::regprocedure AS signature,
            prosecdef AS as_owner,
            prorettype = 'trigger'::regtype AS is_trigger,
            prosqlbody IS NULL AND NOT EXISTS (
                SELECT FROM unnest(proconfig) AS setting
                WHERE setting LIKE 'search\_path=%pg\_temp'
            ) AS unsettled,
            proacl IS NULL OR EXISTS (
                SELECT FROM aclexplode(proacl)
                WHERE grantee = 0 AND privilege_type = 'EXECUTE'
            ) AS public
        FROM pg_proc
        WHERE pronamespace = 'footnote'::regnamespace AND prokind IN ('f', 'p')
            AND NOT EXISTS (
                SELECT FROM pg_depend
                WHERE classid = 'pg_proc'::regclass AND objid = pg_proc.oid AND deptype = 'e'
            )
    LOOP
        IF each.unsettled THEN
            EXECUTE format(
                'ALTER ROUTINE %s SET search_path = pg_catalog, footnote, pg_temp', each.signature
            );
        END IF;
        IF each.public THEN
            EXECUTE format('REVOKE EXECUTE ON ROUTINE %s FROM PUBLIC', each.signature);
            IF NOT each.as_owner AND NOT each.is_trigger THEN
                EXECUTE format('GRANT EXECUTE ON ROUTINE %s TO footnote_app', each.signature);
            END IF;
        END IF;
    END LOOP;
END;
$$

-- name: refuse_temporary_tables
-- Nothing of ours needs them. Only the database's owner can take the right away; where that is
-- somebody else, the examination of the database says so.
DO $$
BEGIN
    IF has_database_privilege('footnote_app', current_database(), 'TEMPORARY') AND (
        SELECT pg_has_role(datdba, 'USAGE') FROM pg_database WHERE datname = current_database()
    ) THEN
        EXECUTE format(
            'REVOKE TEMPORARY ON DATABASE %I FROM PUBLIC, footnote_app', current_database()
        );
    END IF;
END;
$$

-- name: refuse_large_objects
-- They lie outside every table, so no policy binds them, and nothing of ours needs them.
DO $$
DECLARE
    each regprocedure;
BEGIN
    FOR each IN
        SELECT oid::regprocedure FROM pg_proc
        WHERE pronamespace = 'pg_catalog'::regnamespace
            AND (proname LIKE 'lo\_%' OR proname IN ('loread', 'lowrite'))
            AND has_function_privilege('footnote_app', oid, 'EXECUTE')
    LOOP
        EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', each);
    END LOOP;
END;
$$
