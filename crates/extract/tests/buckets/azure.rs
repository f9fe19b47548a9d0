//! The same protocol of ours over Azure's.

use pitree_extract::remote::{Destination, Mirror, ObjectUrl, RemoteOptions, gather};
use pitree_testkit::{Fault, FaultProxy, ObjectServer};

use super::common::{PART, bytes, options, write_data_set};

#[test]
fn a_data_set_goes_to_azure_and_comes_back_through_faults() {
    let Some(server) = ObjectServer::azure("a_data_set_goes_to_azure") else { return };
    server.make_container("fleet");
    let url = ObjectUrl::parse("az://fleet/a set/x").unwrap();
    let root = tempfile::tempdir().unwrap();
    let files: [(&str, &[u8]); 2] =
        [("data.jsonl", &bytes(PART + 7, 3)), ("data/ä b.jsonl", b"small")];
    let direct = options(ObjectServer::azure_variables(server.address()), root.path());
    for (run, fault) in
        [None, Some(Fault::Status(503)), Some(Fault::HangUp)].into_iter().enumerate()
    {
        let mut count = 0;
        let proxy = FaultProxy::before(server.address(), move |_| {
            count += 1;
            fault.filter(|_| count % 3 == 1 && count < 30)
        });
        let proxy = proxy.unwrap();
        let variables = ObjectServer::azure_variables(&proxy.address());
        let mut options = RemoteOptions { variables, ..direct.clone() };
        options.limits.part_bytes = 1 << 20;
        let destination = Destination::prepare(&url, false, &options).unwrap();
        assert_eq!(destination.earlier().is_some(), run > 0, "the data set before is known");
        write_data_set(destination.folder(), &files);
        destination.publish().unwrap_or_else(|error| panic!("{fault:?}: {error}"));
        let options = RemoteOptions { cache: None, ..options };
        let gathered = gather(std::slice::from_ref(&url), &options).unwrap();
        let objects = gathered.mirrors.each().flat_map(Mirror::objects);
        let hash = |bytes: &[u8]| blake3::hash(bytes).to_hex().to_string();
        let found: Vec<(String, String)> = objects
            .map(|object| (object.name.clone(), hash(&fs_err::read(&object.file).unwrap())))
            .collect();
        let wanted = files.map(|(name, bytes)| (name.to_owned(), hash(bytes)));
        assert_eq!(found, wanted, "{fault:?}");
    }
    let other = ObjectUrl::parse("az://nothing/x").unwrap();
    let error = gather(&[other], &direct).unwrap_err().to_string();
    assert!(error.contains("az://nothing/x: it does not exist"), "{error}");
}
